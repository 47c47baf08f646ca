#include "bench/sweep/proofs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/verify/verify.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kProvedRanks = 32;
constexpr int kProvedSegments = 2;

std::string why_wrong(const Algorithm& algorithm, const Problem& problem, int segments) {
  if (!unsupported(algorithm, problem).empty()) return "";
  const Proof proof = verify(algorithm, problem, segments);
  if (proof) return "";
  const std::string more = proof.fault.place.empty()
                               ? fmt::format(" (see `arlab verify {} -p {}`)", algorithm.name,
                                             problem.ranks)
                               : "";  // it says more already
  return fmt::format("{} on {} is not a correct {}, so that its time would mean nothing: {}{}",
                     algorithm.name, show_plural(problem.ranks, "rank"), name(problem.collective),
                     proof.fault.text, more);
}

}  // namespace

const std::string& Proofs::refuted(const Config& config) {
  static const std::string kNothing;
  if (!config.algorithm) return kNothing;
  Problem p = config.problem;
  if (p.ranks > kProvedRanks) {
    if (p.groups || p.grid || p.forest) return kNothing;
    p.ranks = kProvedRanks;
    p.root = std::min(p.root, kProvedRanks - 1);
  }
  const int segments = std::min(config.segments, kProvedSegments);
  const auto key =
      std::make_tuple(config.algorithm, p.collective, p.ranks, p.root, segments, config.network);
  const auto [found, fresh] = known_.try_emplace(key);
  if (fresh) found->second = why_wrong(*config.algorithm, p, segments);
  return found->second;
}

}  // namespace arlab::bench
