#include "training/cluster/tf_config.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/base/error.hpp"
#include "training/io/json.hpp"

namespace arlab::training {
namespace {

using json = Json;

[[noreturn]] void wrong(const std::string& what) { fail(Blame::usage, "TF_CONFIG " + what); }

std::string shown(const json& value) { return in_quotes(value.dump()); }

std::optional<Task> task_named(std::string_view text) {
  for (const Task t : {Task::chief, Task::worker, Task::ps, Task::evaluator})
    if (text == name(t)) return t;
  return text == "master" ? std::optional(Task::chief) : std::nullopt;  // the name in TensorFlow 1
}

bool is_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto port = whole_number(text.substr(colon + 1), 65535);
  const std::string_view host = text.substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']';
  return port && *port > 0 && (bracketed || host.find(':') == std::string_view::npos) &&
         host.find_first_of(" \t\r\n/") == std::string_view::npos;
}

using Addresses = std::vector<std::string>;

// Returns the addresses by task. No address may appear twice.
std::map<Task, Addresses> read_cluster(const json& cluster) {
  if (!cluster.is_object())
    wrong("has " + shown(cluster) + " as its cluster, which is not an object");
  std::map<Task, Addresses> all;
  std::set<std::string> seen;
  for (const auto& [type, addresses] : cluster.items()) {
    const auto task = task_named(type);
    if (!task)
      wrong("has tasks of type " + in_quotes(type) + ": use chief, worker, ps and evaluator");
    if (!addresses.is_array())
      wrong("has " + shown(addresses) + " as its " + type + "s, which is not a list of host:port");
    if (all.contains(*task)) wrong("has both a chief and a master");
    for (const json& address : addresses) {
      if (!address.is_string() || !is_address(address.get_ref<const std::string&>()))
        wrong("has " + shown(address) + " among its " + type + "s, which is not host:port");
      all[*task].push_back(address);
      if (!seen.insert(address).second) wrong("has " + shown(address) + " twice");
    }
  }
  if (all[Task::chief].size() > 1)
    wrong("has " + std::to_string(all[Task::chief].size()) + " chiefs: use one");
  return all;
}

int read_index(const json& index) {
  std::optional<std::int64_t> number;
  if (index.is_string()) number = whole_number(index.get_ref<const std::string&>(), INT32_MAX);
  if (index.is_number_integer()) number = whole_number(index.dump(), INT32_MAX);
  if (!number)
    wrong("has the index " + shown(index) +
          " in its task: use a number of 0 or more, such as 0 or \"0\"");
  return static_cast<int>(*number);
}

// Sets which process of the cluster this one is.
void place(Cluster& c, const std::map<Task, Addresses>& tasks, const json& task) {
  if (!task.is_object() || !task.contains("type") || !task["type"].is_string())
    wrong("does not say which task this is: add \"task\": {\"type\": \"worker\", \"index\": 0}");
  const auto type = task_named(task["type"].get_ref<const std::string&>());
  if (!type)
    wrong("has the task type " + shown(task["type"]) + ": use chief, worker, ps or evaluator");
  c.task = *type;
  c.index = task.contains("index") ? read_index(task["index"]) : 0;
  const auto found = tasks.find(*type);
  const std::size_t there = found == tasks.end() ? 0 : found->second.size();
  if (static_cast<std::size_t>(c.index) < there) return;
  if (*type == Task::evaluator && there == 0 && c.index == 0) return;  // need not be listed
  wrong("says that this is " + std::string(name(*type)) + ' ' + std::to_string(c.index) +
        ", but its cluster has " + std::to_string(there) + " of these, numbered from 0");
}

}  // namespace

Cluster parse_tf_config(std::string_view text) {
  const std::optional<json> parsed = parse_json(text);
  if (!parsed)
    wrong(in_quotes(text) +
          " is not JSON: use {\"cluster\": {\"worker\": [\"host:port\"]}, \"task\": "
          "{\"type\": \"worker\", \"index\": 0}}");
  const json& config = *parsed;
  if (!config.is_object()) wrong(in_quotes(text) + " is not a JSON object");
  Cluster c;
  if (!config.contains("cluster") || config["cluster"].empty()) {
    if (config.contains("task") && !config["task"].empty())
      wrong("has a task, but no cluster: add \"cluster\": {\"worker\": [\"host:port\"]}");
    return c;
  }
  c.source = "TF_CONFIG";
  std::map<Task, Addresses> tasks = read_cluster(config["cluster"]);
  c.addresses = tasks[Task::chief];
  const Rank chiefs = static_cast<Rank>(c.addresses.size());
  c.addresses.insert(c.addresses.end(), tasks[Task::worker].begin(), tasks[Task::worker].end());
  c.servers = tasks[Task::ps];
  c.workers = static_cast<Rank>(c.addresses.size());
  if (c.workers == 0) wrong("has 0 workers: add workers");
  place(c, tasks, config.contains("task") ? config["task"] : json());
  c.rank = c.task == Task::chief ? 0 : c.task == Task::worker ? c.index + chiefs : -1;
  c.chief = c.rank == 0;
  c.local_workers = 0;
  if (c.rank < 0) return c;
  const std::string_view mine = host_of(c.addresses[static_cast<std::size_t>(c.rank)]);
  for (Rank r = 0; r < c.workers; ++r) {
    if (host_of(c.addresses[static_cast<std::size_t>(r)]) != mine) continue;
    if (r < c.rank) ++c.local_rank;
    ++c.local_workers;
  }
  return c;
}

}  // namespace arlab::training
