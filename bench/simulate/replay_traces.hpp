// Replays the GOAL traces of a command line on the network models.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/options/model_options.hpp"

namespace arlab::bench {

/// Returns the paths of the traces, if the words name traces: "file:PATH.goal". Throws Error(usage)
/// if others are among them.
std::vector<std::string> trace_paths(const std::vector<std::string>& words);

/// A trace on a network.
struct TraceRun {
  std::string path, topology, model, machine;
  Rank ranks = 0;
  Count operations = 0, messages = 0;
  Bytes bytes = 0;
  Time finish{};
  std::vector<Time> finish_of{};  ///< of each rank
};

/// Returns a run per trace and network. Throws Error(usage) for a trace that is wrong.
std::vector<TraceRun> replay_traces(const std::vector<std::string>& paths,
                                    const ModelOptions& model);

/// A table with a row per run; with `by_rank`, also of the finish times of ranks.
std::string table_of(const std::vector<TraceRun>& runs, bool by_rank);

/// A record of kind "trace".
nlohmann::ordered_json to_json(const TraceRun& run);

}  // namespace arlab::bench
