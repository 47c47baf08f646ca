// Simulated runs: the spans of every rank, the critical path and the link loads; and the times of
// all algorithms by size.
#include "simulator/engine/simulate.hpp"

#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "plots/explorer/engine/request.hpp"
#include "simulator/analysis/critical_path.hpp"

namespace arlab::explorer {
namespace {

// The time of an algorithm at a size of a curve: null if it does not support it, "too many" if it
// sends more messages than a page simulates.
Json time_at(const Json& request, const Algorithm& algorithm, const Problem& problem) {
  if (!unsupported(algorithm, problem).empty()) return nullptr;
  const auto network = make_network(request, problem.ranks);
  if (algorithm.in_network && !network->adding()) return nullptr;
  const int segments = segments_of(request, algorithm, problem);
  if (predicted_cost(algorithm, problem, segments).messages > kMaxMessages) return "too many";
  return simulator::simulate(algorithm, problem, kElementSize, *network, {.segments = segments})
      .finish.count();
}

// The algorithms of a curve: all, or those that it names.
std::vector<const Algorithm*> algorithms_of(const Json& request) {
  std::vector<const Algorithm*> all;
  if (!request.contains("algorithms")) {
    for (const Algorithm& algorithm : algorithms()) all.push_back(&algorithm);
    return all;
  }
  const Json& names = request["algorithms"];
  if (!names.is_array()) fail(Blame::usage, "algorithms is " + names.dump() + ": give a list");
  for (const Json& name : names) {
    if (!name.is_string()) fail(Blame::usage, "an algorithm is " + name.dump() + ": give its name");
    all.push_back(&find_algorithm(name.get<std::string>()));
  }
  return all;
}

}  // namespace

// Times are whole picoseconds. spans: [[kind (send, receive, reduce), rank, lane, round, peer,
// bytes, begin, end, message]...]; path: [[kind, rank, to, lane, round, message, begin, end]...].
Json simulate_json(const Json& request) {
  const Task task = parse_task(request);
  if (task.fault)
    fail(Blame::usage, "the schedule is wrong, so it takes no time: " + task.fault.text);
  const auto network = make_network(request, task.problem.ranks);
  simulator::Trace trace;
  const simulator::SimulationResult outcome =
      simulator::simulate(task.algorithm, task.problem, kElementSize, *network,
                          {.segments = task.segments, .trace = &trace});
  Json spans = Json::array(), path = Json::array(), spent = Json::object(), loads = Json::array();
  for (const simulator::Span& s : trace.spans)
    spans.push_back({static_cast<int>(s.kind), s.rank, s.lane, s.round, s.peer, s.bytes,
                     s.begin.count(), s.end.count(), s.message});
  const simulator::CriticalPath critical = simulator::critical_path(trace, outcome.finish);
  for (const simulator::CriticalStep& s : critical.steps) {
    path.push_back(
        {name(s.kind), s.rank, s.to, s.lane, s.round, s.message, s.begin.count(), s.end.count()});
    spent[std::string(name(s.kind))] = critical.spent(s.kind).count();
  }
  for (const simulator::LinkLoad& load : network->loads(outcome.finish))
    loads.push_back({load.name, load.bytes, load.utilization});
  Json finish_of = Json::array();
  for (const Time finish : outcome.finish_of) finish_of.push_back(finish.count());
  return {{"finish", outcome.finish.count()}, {"finish_of", std::move(finish_of)},
          {"sent", cost_json(outcome.sent)},  {"spans", std::move(spans)},
          {"path", std::move(path)},          {"spent", std::move(spent)},
          {"loads", std::move(loads)}};
}

// Simulates each algorithm at each of the "sizes" in bytes.
Json curve_json(const Json& request) {
  if (!request.contains("sizes") || !request["sizes"].is_array())
    fail(Blame::usage, "a curve needs sizes: a list of bytes");
  const Rank ranks = ranks_of(request);
  const Rank root = root_of(request, ranks);
  check({.ranks = ranks});
  Json series = Json::array();
  for (const Algorithm* algorithm : algorithms_of(request)) {
    const bool shown = ranks <= kMaxRanks && !(algorithm->forested && ranks > kMaxTreeRanks);
    const Layout layout = shown ? layout_of(*algorithm, ranks, parse_fabric(request)) : Layout{};
    Json times = Json::array();
    for (const Json& size : request["sizes"]) {
      const Count elements = std::max<Count>(1, whole_number(size, "a size") / kElementSize);
      const Problem problem = layout.on({.ranks = ranks, .elements = elements, .root = root});
      check(problem);
      times.push_back(shown ? time_at(request, *algorithm, problem) : Json(nullptr));
    }
    series.push_back({{"name", algorithm->name}, {"times", std::move(times)}});
  }
  return {{"series", std::move(series)}};
}

}  // namespace arlab::explorer
