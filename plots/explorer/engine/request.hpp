// Reading requests, and the answers' functions by name.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "simulator/models/model.hpp"

namespace arlab::explorer {

using Json = nlohmann::ordered_json;

constexpr Rank kMostRanks = 64;
constexpr Count kMostMessages = 200'000;
constexpr Bytes kElementSize = 4;  // float32

/// What is to be run: "algorithm", "ranks", "elements", "root", "segments" and "lane" of a request.
struct Task {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  int segments = 1;
  std::size_t lane = 0;  ///< which of lanes_of() is looked at
};

/// Throws Error(usage) that names the bad value, also for what the algorithm does not support and
/// for more than a page can show.
Task task_of(const Json& request);

/// Throw Error(usage) if the value is there and no whole number or text; `fallback` if it is not.
Count number(const Json& request, const char* key, Count default_value);
std::string text(const Json& request, const char* key, const char* default_value);

/// The model "model" with "parameters" in picoseconds and bytes, on "topology", "routing" and
/// "placement".
std::unique_ptr<simulator::Network> network_of(const Json& request, Rank ranks);
simulator::FabricSpec fabric_of(const Json& request);

Json cost_json(const Cost& cost);

Json catalogue_json();
Json run_json(const Json& request);
Json explain_json(const Json& request);
Json simulate_json(const Json& request);
Json curve_json(const Json& request);
Json network_json(const Json& request);
Json train_json(const Json& request);

}  // namespace arlab::explorer
