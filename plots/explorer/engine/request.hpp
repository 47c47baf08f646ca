// Parses requests, and declares the functions that answer them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/verify/match_schedule.hpp"
#include "plots/explorer/engine/layout.hpp"
#include "simulator/models/model.hpp"

namespace arlab::explorer {

using Json = nlohmann::ordered_json;

constexpr Rank kMaxRanks = 64;
constexpr Count kMaxMessages = 200'000;
constexpr Bytes kElementSize = 4;  // float32

/// The run of a request: its "algorithm" or its "own" schedule, "ranks", "elements", "root",
/// "segments" (usual_segments() of the "model" if they are missing) and "lane", and the "topology"
/// that some algorithms need to know.
struct Task {
  Algorithm algorithm{};
  Problem problem;
  int segments = 1;
  std::size_t lane = 0;  ///< index into lanes_of()
  Layout layout{};       ///< that `problem` points to
  Fault fault{};         ///< of its own schedule: nothing more is known of it then
};

using Rounds = std::vector<std::vector<Action>>;  // of one rank

/// Parses [[[kind, peer, first chunk, chunks, stride]...]...], the rounds of one rank.
Rounds parse_rounds(const Json& json);

/// Parses the run of a schedule that a reader wrote: "own" lists the lanes, each as [weight, the
/// rounds of every rank], of an allreduce. If a lane is wrong, the task shows the first such lane.
Task own_task(const Json& request, const Problem& problem);

/// Parses the run. Throws Error(usage) that names the invalid value, also for problems that the
/// algorithm does not support or that are too large for the page.
Task parse_task(const Json& request);

/// Returns the value. Throws Error(usage) that names `what` unless it is a whole number of 64 bits.
Count whole_number(const Json& value, std::string_view what);

/// Returns the number of ranks of a network or curve, 4 if it is missing. Throws Error(usage)
/// unless it is positive and fits a Rank.
Rank ranks_of(const Json& request);

/// Returns the root, 0 if it is missing. Throws Error(usage) unless it is one of the ranks.
Rank root_of(const Json& request, Rank ranks);

/// Returns "segments", or usual_segments() of the "model" for the problem with its layout. Throws
/// Error(usage) unless they are 1 to 64.
int segments_of(const Json& request, const Algorithm& algorithm, const Problem& problem);

/// Returns the value, or `default_value` if it is missing. Throws Error(usage) for another type.
Count number(const Json& request, const char* key, Count default_value);
std::string text(const Json& request, const char* key, const char* default_value);

/// Makes the network of "model" with "parameters" in picoseconds and bytes, on "topology",
/// "routing" and "placement".
std::unique_ptr<simulator::Network> make_network(const Json& request, Rank ranks);
simulator::FabricSpec parse_fabric(const Json& request);

Json cost_json(const Cost& cost);

Json catalog_json();
Json run_json(const Json& request);
Json explain_json(const Json& request);
Json simulate_json(const Json& request);
Json curve_json(const Json& request);
Json network_json(const Json& request);
Json train_json(const Json& request);

}  // namespace arlab::explorer
