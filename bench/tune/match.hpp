// match: which algorithms send exactly what was counted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/tune/open_mpi.hpp"

namespace arlab::bench {

/// What the library sent in one allreduce, and in the two collectives that `nonoverlapping` is made
/// of.
struct CountedTraffic {
  LibraryProblem problem;
  PairTraffic allreduce;
  std::optional<PairTraffic> reduce_then_broadcast = {};
};

/// Returns "segmented_ring" of "segmented_ring:segment=64K".
std::string name_of_spec(const std::string& spec);

/// Whether one of the specs has this name, whatever its settings.
bool names_spec(const std::vector<std::string>& specs, std::string_view name);

struct Match {
  std::vector<std::string> library;  ///< the library's algorithms that send the same, by its names
  std::vector<std::string> catalog;  ///< ours that do
};

/// Compares the messages and bytes of every pair of ranks. `of_library`: whether to try the models
/// of Open MPI; a segmented ring is also tried with segments of all powers of two. Segments of the
/// catalog's algorithms are not tried.
Match match(const CountedTraffic& counted, bool of_library = true);

/// Returns why Open MPI runs another algorithm than this one ("ring", "segmented_ring:segment=64K")
/// for the problem; empty if it does not, or if the algorithm is not known.
std::string fallback_of(const std::string& algorithm, const LibraryProblem& problem);

/// Returns why the library did not run `asked` ("ring", "segmented_ring:segment=64K"): "fell back:
/// 3 elements are fewer than 4 ranks". Empty if it did, or if nothing was asked for.
std::string why_not(const std::string& asked, const CountedTraffic& counted, const Match& found);

}  // namespace arlab::bench
