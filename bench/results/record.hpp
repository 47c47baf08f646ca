// Record: what one configuration gave: one line of a result file, one row of a table.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "algorithms/algorithm.hpp"
#include "bench/results/hot_links.hpp"
#include "bench/results/statistics.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

using Json = nlohmann::ordered_json;

/// Absent is null in JSON and empty in a table, never 0.
struct Record {
  std::string kind;  ///< count, verify, simulate or run
  std::optional<std::string> backend;
  std::string algorithm;
  Problem problem;
  collectives::Operand operand;
  std::optional<int> lanes;
  int segments = 1;
  std::optional<std::string> topology;
  std::optional<std::string> model;
  std::optional<std::string> machine;  ///< the model's parameters
  std::optional<Cost> sent;            ///< counted, simulated or executed
  std::optional<Cost> claimed;
  std::optional<Summary> time_us;
  std::optional<double> modelled_us;
  std::optional<HotLinks> hottest;  ///< the links that carried most for what they can
  std::optional<double>
      of_copy_limit;  ///< run on one GPU: memory moved, as a share of what a copy does
  std::optional<std::string>
      chosen;                  ///< run of a native collective: what the library tells it chose
  std::optional<Count> wrong;  ///< elements, proofs or counts that are not as they must be
  std::optional<std::string> skipped;
  std::optional<std::string> fault;       ///< verify: what is wrong
  std::optional<std::string> bracketing;  ///< verify: how a rank added up
  std::optional<bool> same_on_all_ranks;  ///< verify: whether all added up in the same order
  std::string label, color, family;

  Bytes bytes() const {
    return problem.elements * static_cast<Bytes>(collectives::size_of(operand.dtype));
  }
  /// Bytes of the vector by time, in GB/s.
  std::optional<double> algbw() const;
  /// What a link must carry at least, by time, in GB/s: comparable with hardware whatever the
  /// number of ranks.
  std::optional<double> busbw() const;
};

Json to_json(const Record& record);

/// What tells configurations apart: a sweep is resumed after the ones that are there.
std::string identity(const Json& record);

}  // namespace arlab::bench
