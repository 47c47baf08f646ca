#include "bench/simulate/replay_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "bench/formats/parse_goal.hpp"
#include "bench/results/record.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "simulator/replay/replay.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kScheme = "file:", kSuffix = ".goal";

bool is_trace(const std::string& word) {
  return word.starts_with(kScheme) && word.ends_with(kSuffix);
}

}  // namespace

std::vector<std::string> trace_paths(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words)
    if (word.ends_with(".goal") && !is_trace(word))
      fail(Blame::usage, fmt::format("{} is a trace: write {}{}", word, kScheme, word));
  for (const std::string& word : words)
    if (is_trace(word)) paths.push_back(word.substr(kScheme.size()));
  if (!paths.empty() && paths.size() < words.size())
    fail(Blame::usage, fmt::format("{} beside a trace: simulate traces and algorithms in commands "
                                   "of their own",
                                   *std::find_if_not(words.begin(), words.end(), is_trace)));
  return paths;
}

std::vector<TraceRun> replay_traces(const std::vector<std::string>& paths,
                                    const ModelOptions& model) {
  std::vector<TraceRun> runs;
  for (const std::string& path : paths) {
    const std::string content = read_file(path, "give a trace in the text form of GOAL");
    const simulator::TraceGraph trace = parse_goal(content, path);
    const auto ranks = static_cast<Rank>(trace.ranks.size());
    Count operations = 0;
    for (const simulator::RankGraph& rank : trace.ranks)
      operations += static_cast<Count>(rank.operations.size());
    for (std::size_t i = 0; i < model.networks().size(); ++i) {
      const auto network = model.make(i, ranks);
      try {
        simulator::ReplayResult result = simulator::replay(trace, *network);
        runs.push_back({path, model.parsed_model().has_links ? model.topology_text(i, ranks) : "",
                        std::string(model.parsed_model().name), model.machine(), ranks, operations,
                        result.messages, result.bytes, result.finish, std::move(result.finish_of)});
      } catch (const Error& error) {
        fail(error.blame(), path + ": " + error.what());
      }
    }
  }
  return runs;
}

std::string table_of(const std::vector<TraceRun>& runs, bool by_rank) {
  std::vector<std::vector<std::string>> rows, times;
  for (const TraceRun& run : runs) {
    rows.push_back({run.path, run.topology, std::to_string(run.ranks), show_count(run.operations),
                    show_count(run.messages), show_bytes(run.bytes),
                    show_time(microseconds(run.finish))});
    for (std::size_t r = 0; by_rank && r < run.finish_of.size(); ++r)
      times.push_back(
          {run.path, run.topology, std::to_string(r), show_time(microseconds(run.finish_of[r]))});
  }
  const std::string table =
      compact({"trace", "topology", "ranks", "operations", "messages", "bytes", "time"}, rows);
  return by_rank ? table + "\n" + compact({"trace", "topology", "rank", "finish"}, times) : table;
}

nlohmann::ordered_json to_json(const TraceRun& run) {
  std::vector<double> finish;
  for (const Time time : run.finish_of) finish.push_back(microseconds(time));
  nlohmann::ordered_json record{{"schema", kSchema},
                                {"kind", "trace"},
                                {"trace", run.path},
                                {"topology", nullptr},
                                {"model", run.model},
                                {"machine", run.machine},
                                {"ranks", run.ranks},
                                {"operations", run.operations},
                                {"messages", run.messages},
                                {"bytes_sent", run.bytes},
                                {"modelled_us", microseconds(run.finish)},
                                {"finish_us", finish}};
  if (!run.topology.empty()) record["topology"] = run.topology;
  return record;
}

}  // namespace arlab::bench
