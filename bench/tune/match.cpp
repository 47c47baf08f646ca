#include "bench/tune/match.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace arlab::bench {
namespace {

constexpr std::string_view kReduceThenBroadcast = "nonoverlapping";

bool has_allreduce(const Algorithm& algorithm) {
  const auto& all = algorithm.collectives;
  return std::find(all.begin(), all.end(), Collective::allreduce) != all.end();
}

const LibraryModel* model_named(std::string_view name) {
  for (const LibraryModel& model : open_mpi_models())
    if (model.name == name) return &model;
  return nullptr;
}

constexpr std::string_view kSegmented = "segmented_ring";

// The segmented ring with the segment that the counts show; empty if it is none.
std::string segmented_ring_of(const CountedTraffic& counted) {
  const LibraryModel* const model = model_named(kSegmented);
  LibraryProblem p = counted.problem;
  const Count bytes = p.elements * p.element_bytes;
  for (p.segment_bytes = 64; p.segment_bytes < bytes; p.segment_bytes *= 2)
    if (model->falls_back(p).empty() && model->traffic(p) == counted.allreduce)
      return fmt::format("{}:segment={}", kSegmented, p.segment_bytes);
  return "";
}

}  // namespace

std::string name_of_spec(const std::string& spec) { return spec.substr(0, spec.find(':')); }

bool names_spec(const std::vector<std::string>& specs, std::string_view name) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const std::string& spec) { return name_of_spec(spec) == name; });
}

std::string fallback_of(const std::string& algorithm, const LibraryProblem& problem) {
  const LibraryModel* const model = model_named(name_of_spec(algorithm));
  return model ? model->falls_back(problem) : "";
}

Match match(const CountedTraffic& counted, bool of_library) {
  const LibraryProblem& p = counted.problem;
  Match found;
  if (of_library) {
    for (const LibraryModel& model : open_mpi_models())
      if (model.falls_back(p).empty() && model.traffic(p) == counted.allreduce)
        found.library.emplace_back(model.name);
    if (counted.reduce_then_broadcast && *counted.reduce_then_broadcast == counted.allreduce)
      found.library.emplace_back(kReduceThenBroadcast);
    if (found.library.empty())
      if (std::string segmented = segmented_ring_of(counted); !segmented.empty())
        found.library.push_back(std::move(segmented));
  }
  const Problem problem{.ranks = p.ranks, .elements = p.elements};
  for (const Algorithm& algorithm : algorithms())
    if (has_allreduce(algorithm) && unsupported(algorithm, problem).empty() &&
        traffic_of(algorithm, problem, p.element_bytes) == counted.allreduce)
      found.catalog.emplace_back(algorithm.name);
  return found;
}

std::string why_not(const std::string& asked, const CountedTraffic& counted, const Match& found) {
  const std::string name = name_of_spec(asked);
  if (asked.empty() || names_spec(found.library, name)) return "";
  const bool known = model_named(name) != nullptr || name == kReduceThenBroadcast;
  const std::string reason = fallback_of(asked, counted.problem);
  if (!reason.empty()) return "fell back: " + reason;
  if (!known) return "";  // nothing can be said
  return fmt::format("not {}: another component decides, or the choice was not taken", name);
}

}  // namespace arlab::bench
