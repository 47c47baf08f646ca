#include "algorithms/verify/numerics.hpp"

#include <cmath>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/verify/symbolic_state.hpp"

namespace arlab {
namespace {

constexpr std::size_t kOrderLimit = 1 << 20;  // characters

// The sum trees at the end of one lane.
class Lanes {
 public:
  Lanes(const Algorithm& algorithm, const Problem& problem) {
    for (const Lane& lane : lanes_of(algorithm, problem)) {
      SymbolicState& all = lanes_.emplace_back(lane.problem);
      const MatchResult matched =
          match_schedule(all.problem(), schedule_of(algorithm, lane.problem), all.callbacks());
      if (matched.fault) fail(Blame::check, concat(algorithm.name, ": ", matched.fault.text));
    }
  }

  // Calls f(state, rank, chunk, id) for each value that the collective asks for.
  template <class F>
  void for_each_value(F f) const {
    for (const SymbolicState& all : lanes_)
      for (Rank chunk = 0; chunk < all.problem().parts(); ++chunk)
        for (Rank rank = 0; rank < all.problem().ranks; ++rank)
          if (all.spec().needs_at_end(rank, chunk)) f(all, rank, chunk, all.held(rank, chunk));
  }

  // The distinct results for these contributions, as the algorithm adds them in float.
  std::set<float> sums_of(const std::vector<float>& contributions) const {
    std::set<float> sums;
    for (const SymbolicState& all : lanes_) {
      const std::vector<float> values = all.sums().evaluate(contributions);
      std::set<SumTrees::Id> ids;
      for (Rank chunk = 0; chunk < all.problem().parts(); ++chunk)
        for (Rank rank = 0; rank < all.problem().ranks; ++rank)
          if (all.spec().needs_at_end(rank, chunk)) ids.insert(all.held(rank, chunk));
      for (const SumTrees::Id id : ids) sums.insert(values[index(id)]);
    }
    return sums;
  }

 private:
  std::vector<SymbolicState> lanes_;
};

// Contributions of the ranks: of one sign, of both signs, and of sizes from 2^-20 to 2^20.
std::vector<std::vector<float>> inputs(Rank ranks) {
  constexpr int kOfEachKind = 8;
  std::vector<std::vector<float>> all;
  for (int i = 0; i < 3 * kOfEachKind; ++i) {
    const Random random(static_cast<std::uint64_t>(i));
    std::vector<float>& values = all.emplace_back();
    for (Rank r = 0; r < ranks; ++r) {
      const std::uint64_t bits = random(static_cast<std::uint64_t>(r));
      float value = 1 + static_cast<float>(bits & 0xffffff) * 0x1p-24f;
      if (i % 3 >= 1 && bits >> 63) value = -value;
      if (i % 3 == 2) value = std::ldexp(value, static_cast<int>(bits >> 32 & 0xff) % 41 - 20);
      values.push_back(value);
    }
  }
  return all;
}

double error_of(const std::set<float>& sums, const std::vector<float>& contributions) {
  // Exact in units of 2^-44: the last bit of the smallest input, 2^-20 with 24 bits.
  __extension__ using Wide = __int128;
  Wide units = 0;
  double size = 0;
  for (const float x : contributions) {
    units += static_cast<Wide>(std::ldexp(static_cast<double>(x), 44));
    size += std::abs(static_cast<double>(x));
  }
  const double exact = std::ldexp(static_cast<double>(units), -44);
  double largest = 0;
  for (const float sum : sums)
    largest = std::max(largest, std::abs(static_cast<double>(sum) - exact) / size);
  return largest * 0x1p24;
}

bool same_for_more_ranks(const Algorithm& algorithm, Problem p, std::vector<float> contributions) {
  if (algorithm.grouped || algorithm.gridded || algorithm.forested) return false;
  const std::set<float> sums = Lanes(algorithm, p).sums_of(contributions);
  if (sums.size() > 1) return false;
  const Rank twice = 2 * p.ranks;
  while (p.ranks < twice) {
    ++p.ranks;
    p.elements = std::max<Count>(p.elements, p.ranks);
    contributions.push_back(0);
    if (!unsupported(algorithm, p).empty()) continue;
    if (Lanes(algorithm, p).sums_of(contributions) != sums) return false;
  }
  return true;
}

}  // namespace

Numerics numerics(const Algorithm& algorithm, const Problem& problem) {
  if (!problem.reduces())
    fail(Blame::usage, concat("the ", name(problem.collective),
                              " adds nothing: choose a collective "
                              "that reduces"));
  const Lanes lanes(algorithm, problem);
  Numerics found;
  const SymbolicState* lane = nullptr;
  SumTrees::Id of_chunk = SumTrees::kNothing;
  Rank chunk_before = -1;
  // Of the first chunk of a rank in this lane, and in the first lane. After a reduce-scatter a rank
  // has one chunk, which is compared with those of the others.
  const bool one_each = problem.collective == Collective::reduce_scatter;
  std::vector<SumTrees::Id> first;
  std::vector<std::string> orders(index(problem.ranks));
  lanes.for_each_value([&](const SymbolicState& all, Rank rank, Rank chunk, SumTrees::Id id) {
    if (lane != &all) {
      lane = &all;
      first.assign(index(problem.ranks), SumTrees::kNothing);
      chunk_before = -1;
    }
    const std::size_t place = one_each ? 0 : index(rank);
    if (first[place] == SumTrees::kNothing) {
      first[place] = id;
      const std::string order = all.sums().bracketing(id, kOrderLimit);
      if (found.bracketing.empty()) found.bracketing = order;
      if (orders[place].empty()) orders[place] = order;
      found.same_for_all_elements = found.same_for_all_elements && order == orders[place];
    }
    if (chunk != chunk_before) of_chunk = id;
    chunk_before = chunk;
    found.same_on_all_ranks = found.same_on_all_ranks && id == of_chunk;
    found.same_for_all_elements = found.same_for_all_elements && id == first[place];
  });
  for (const std::vector<float>& contributions : inputs(problem.ranks)) {
    found.error = std::max(found.error, error_of(lanes.sums_of(contributions), contributions));
    found.same_for_more_ranks = found.same_for_more_ranks && found.same_for_all_elements &&
                                same_for_more_ranks(algorithm, problem, contributions);
  }
  return found;
}

}  // namespace arlab
