#include "plots/explorer/engine/request.hpp"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "plots/explorer/engine/answer.hpp"

namespace arlab::explorer {
namespace {

const simulator::Model& model_of(const Json& request) {
  return simulator::find_model(text(request, "model", "alpha_beta"));
}

void check_messages(const Task& task) {
  const Count messages = predicted_cost(task.algorithm, task.problem, task.segments).messages;
  if (messages > kMaxMessages)
    fail(Blame::usage, std::to_string(messages) + " messages are more than a page shows (" +
                           std::to_string(kMaxMessages) + "): use fewer segments or ranks");
}

}  // namespace

Count whole_number(const Json& value, std::string_view what) {
  // A number of more digits than 64 bits hold is parsed as a fraction.
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Count>::max()}))
    fail(Blame::usage, std::string(what) + " is " + value.dump() + ": give a whole number");
  return value.get<Count>();
}

Count number(const Json& request, const char* key, Count default_value) {
  return request.contains(key) ? whole_number(request[key], key) : default_value;
}

Rank ranks_of(const Json& request) {
  const Count ranks = number(request, "ranks", 4);
  if (ranks < 1 || ranks > std::numeric_limits<Rank>::max())
    fail(Blame::usage, "ranks is " + std::to_string(ranks) + ": give 1 to " +
                           std::to_string(std::numeric_limits<Rank>::max()));
  return static_cast<Rank>(ranks);
}

Rank root_of(const Json& request, Rank ranks) {
  const Count root = number(request, "root", 0);
  if (root < 0 || root >= ranks)
    fail(Blame::usage, "root is " + std::to_string(root) + ", but the ranks are 0 to " +
                           std::to_string(ranks - 1));
  return static_cast<Rank>(root);
}

std::string text(const Json& request, const char* key, const char* default_value) {
  if (!request.contains(key)) return default_value;
  const Json& value = request[key];
  if (!value.is_string())
    fail(Blame::usage, std::string(key) + " is " + value.dump() + ": give text");
  return value.get<std::string>();
}

int segments_of(const Json& request, const Algorithm& algorithm, const Problem& problem) {
  if (!request.contains("segments"))
    return usual_segments(algorithm, problem, model_of(request).has_links);
  const Count segments = whole_number(request["segments"], "segments");
  if (segments < 1 || segments > 64)
    fail(Blame::usage, "segments is " + std::to_string(segments) + ": give 1 to 64");
  return static_cast<int>(segments);
}

Task parse_task(const Json& request) {
  const Count ranks = number(request, "ranks", 4);
  if (ranks < 1 || ranks > kMaxRanks)
    fail(Blame::usage,
         "ranks is " + std::to_string(ranks) + ": a page shows 1 to " + std::to_string(kMaxRanks));
  const Problem problem{.ranks = static_cast<Rank>(ranks),
                        .elements = number(request, "elements", ranks),
                        .root = root_of(request, static_cast<Rank>(ranks))};
  if (request.contains("own")) {
    Task task = own_task(request, problem);
    if (!task.fault) check_messages(task);
    return task;
  }
  Task task{.algorithm = find_algorithm(text(request, "algorithm", "")),
            .problem = problem,
            .lane = static_cast<std::size_t>(number(request, "lane", 0))};
  check(task.problem);
  task.layout = layout_of(task.algorithm, task.problem.ranks, parse_fabric(request));
  task.problem = task.layout.on(task.problem);
  if (const std::string why = unsupported(task.algorithm, task.problem); !why.empty())
    fail(Blame::usage, why);
  task.segments = segments_of(request, task.algorithm, task.problem);
  check_messages(task);
  return task;
}

simulator::FabricSpec parse_fabric(const Json& request) {
  return {text(request, "topology", ""), text(request, "routing", "automatic"),
          text(request, "placement", "block"),
          static_cast<std::uint64_t>(number(request, "seed", 0))};
}

std::unique_ptr<simulator::Network> make_network(const Json& request, Rank ranks) {
  Values values;
  if (request.contains("parameters"))
    for (const auto& [name, value] : request["parameters"].items()) {
      if (!value.is_number())
        fail(Blame::usage, "parameter " + name + " is " + value.dump() + ": give a number");
      values[name] = value.get<double>();
    }
  const simulator::Model& model = model_of(request);
  simulator::FabricSpec fabric = parse_fabric(request);
  if (!model.has_links) fabric.topology.clear();
  return simulator::make_network(model, values, ranks, fabric);
}

Json cost_json(const Cost& cost) {
  return {{"messages", cost.messages}, {"elements", cost.elements}, {"rounds", cost.rounds}};
}

std::string answer(std::string_view request) {
  const Json asked = Json::parse(request, nullptr, false);
  if (!asked.is_object())
    fail(Blame::usage, "the request is not a JSON object: give {\"ask\": ...}");
  const std::string what = text(asked, "ask", "");
  constexpr std::pair<std::string_view, Json (*)(const Json&)> kAnswers[] = {
      {"catalog", [](const Json&) { return catalog_json(); }},
      {"run", run_json},
      {"explain", explain_json},
      {"simulate", simulate_json},
      {"curve", curve_json},
      {"network", network_json},
      {"train", train_json}};
  for (const auto& [name, function] : kAnswers)
    if (name == what) return function(asked).dump(-1, ' ', false, Json::error_handler_t::replace);
  fail(Blame::usage, "unknown request '" + what + "'");
}

}  // namespace arlab::explorer
