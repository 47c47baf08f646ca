#include "bench/replay/replay_traces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/cli/read_file.hpp"
#include "bench/cli/units.hpp"
#include "bench/goal/parse_goal.hpp"
#include "bench/results/table.hpp"
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

std::string replay_traces(const std::vector<std::string>& paths, const ModelOptions& model) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& path : paths) {
    const std::string content = read_file(path, "give a trace in the text form of GOAL");
    const simulator::TraceGraph trace = parse_goal(content, path);
    const auto ranks = static_cast<Rank>(trace.ranks.size());
    Count operations = 0;
    for (const simulator::RankGraph& rank : trace.ranks)
      operations += static_cast<Count>(rank.operations.size());
    for (std::size_t i = 0; i < model.networks().size(); ++i) {
      const auto network = model.make(i, ranks);
      simulator::ReplayResult result;
      try {
        result = simulator::replay(trace, *network);
      } catch (const Error& error) {
        fail(error.blame(), path + ": " + error.what());
      }
      const bool has_links = model.parsed_model().has_links;
      rows.push_back({path, has_links ? model.topology_text(i, ranks) : "", std::to_string(ranks),
                      show_count(operations), show_count(result.messages), show_bytes(result.bytes),
                      show_time(microseconds(result.finish))});
    }
  }
  return compact({"trace", "topology", "ranks", "operations", "messages", "bytes", "time"}, rows);
}

}  // namespace arlab::bench
