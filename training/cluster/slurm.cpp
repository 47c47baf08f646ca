#include "training/cluster/slurm.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "training/cluster/host_list.hpp"

namespace arlab::training {
namespace {

constexpr int kPortBase = 12345;

constexpr std::int64_t kMaxTasks = 1 << 20;

// The first variable that is set.
struct Found {
  std::string variable, value;
};
std::optional<Found> find(const Environment& environment, std::vector<std::string> variables) {
  for (const std::string& v : variables)
    if (const auto value = environment(v); value && !value->empty()) return Found{v, *value};
  return std::nullopt;
}

Found need(const Environment& environment, std::vector<std::string> variables) {
  if (auto found = find(environment, variables)) return *found;
  fail(Blame::usage, variables.front() + " is not set: start workers with srun within a Slurm job");
}

std::int64_t number(const Found& f) {
  if (const auto n = whole_number(f.value, kMaxTasks)) return *n;
  fail(Blame::usage, f.variable + ' ' + in_quotes(f.value) + " is not a number from 0 to " +
                         std::to_string(kMaxTasks));
}

// How srun distributes tasks over hosts.
struct Distribution {
  Rank plane = 0;  // tasks that follow each other on a host, then on the next one; 0: all of a host
  bool known = true;  // otherwise the variables of a task do not say where the others are
};

// Returns the host of each rank, as an index into the tasks of all hosts.
std::vector<std::size_t> host_by_rank(std::vector<Rank> tasks, Rank plane) {
  const Rank all = std::accumulate(tasks.begin(), tasks.end(), Rank{0});
  std::vector<std::size_t> hosts;
  while (static_cast<Rank>(hosts.size()) < all)
    for (std::size_t h = 0; h < tasks.size(); ++h) {
      const Rank here = plane == 0 ? tasks[h] : std::min(plane, tasks[h]);
      hosts.insert(hosts.end(), static_cast<std::size_t>(here), h);
      tasks[h] -= here;
    }
  return hosts;
}

Distribution distribution_of(const Environment& environment) {
  const auto f = find(environment, {"SLURM_DISTRIBUTION"});
  if (!f) return {};
  // Colons separate nodes, sockets and cores; options follow a comma.
  const std::string nodes = f->value.substr(0, f->value.find_first_of(":,"));
  if (nodes == "block" || nodes == "*" || nodes == "none") return {};
  if (nodes == "cyclic") return {.plane = 1};
  if (nodes == "arbitrary") return {.known = false};
  const auto size = nodes.starts_with("plane=")
                        ? std::optional(Found{"SLURM_DISTRIBUTION", nodes.substr(6)})
                        : find(environment, {"SLURM_DIST_PLANESIZE"});
  if (nodes.starts_with("plane") && size && number(*size) > 0)
    return {.plane = static_cast<Rank>(number(*size))};
  fail(Blame::usage, "SLURM_DISTRIBUTION " + in_quotes(f->value) +
                         " is not known: start with srun -m block, cyclic, plane=2 or arbitrary");
}

// Slurm writes 2, gpu:2, a100:2, gpu:a100:2, and several types after commas.
std::int64_t gpus(const Found& f) {
  std::int64_t sum = 0;
  for (std::size_t at = 0; at <= f.value.size();) {
    const std::size_t end = std::min(f.value.find(',', at), f.value.size());
    const std::string one = f.value.substr(at, end - at);
    sum += number({f.variable, one.substr(one.rfind(':') + 1)});
    at = end + 1;
  }
  return sum;
}

// Throws if a redundant variable contradicts the others.
void check(const Environment& environment, const std::vector<std::string>& variables,
           std::int64_t expected, const std::string& of) {
  const auto f = find(environment, variables);
  if (f && number(*f) != expected)
    fail(Blame::usage, f->variable + " is " + f->value + ", but " + std::to_string(expected) +
                           " follows from " + of + ": start all workers with one srun");
}

// Returns the number of GPUs that this task can see; 0 if no variable mentions any.
std::int64_t visible_gpus(const Environment& environment) {
  if (const auto f = find(environment, {"CUDA_VISIBLE_DEVICES"}))
    return f->value == "NoDevFiles" ? 0 : std::count(f->value.begin(), f->value.end(), ',') + 1;
  if (const auto f = find(environment, {"SLURM_GPUS_ON_NODE"})) return gpus(*f);
  return 0;
}

// Returns this task's share of the GPUs of its host; none if there are fewer GPUs than tasks,
// unless a number per task was requested.
std::vector<int> share_gpus(const Environment& environment, Rank local, Rank local_tasks) {
  const std::int64_t visible = visible_gpus(environment);
  const auto bound = find(environment, {"SLURM_GPUS_PER_TASK"});
  if (visible == 0) return {};
  const std::int64_t each = bound ? gpus(*bound) : visible / local_tasks;
  // If Slurm shows a task only its own GPUs, all of them are its share.
  const std::int64_t first = bound && each == visible ? 0 : local * each;
  if (first + each > visible)
    fail(Blame::usage, std::to_string(local_tasks) + " tasks on a host with " +
                           std::to_string(visible) + " GPUs cannot have " + std::to_string(each) +
                           " each: start fewer tasks per node, ideally one per GPU");
  std::vector<int> devices(static_cast<std::size_t>(each));
  std::iota(devices.begin(), devices.end(), static_cast<int>(first));
  return devices;
}

}  // namespace

Cluster parse_slurm(const Environment& environment) {
  const Found nodes =
      need(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  const Found per_node = need(environment, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  const std::vector<std::string> hosts = expand_hosts(nodes.value, nodes.variable);
  const std::vector<Rank> tasks = expand_counts(per_node.value, per_node.variable);
  if (hosts.size() != tasks.size())
    fail(Blame::usage, nodes.variable + ' ' + in_quotes(nodes.value) + " has " +
                           std::to_string(hosts.size()) + " hosts, but " + per_node.variable + ' ' +
                           in_quotes(per_node.value) + " has " + std::to_string(tasks.size()));
  const Distribution distribution = distribution_of(environment);
  const std::vector<std::size_t> by_rank = host_by_rank(tasks, distribution.plane);
  const auto workers = static_cast<Rank>(by_rank.size());
  check(environment, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, workers, per_node.variable);
  const Found id = need(environment, {"SLURM_PROCID"});
  const std::int64_t rank = number(id);
  if (rank >= workers)
    fail(Blame::usage, "SLURM_PROCID " + id.value + " is not one of the " +
                           std::to_string(workers) + " tasks in " + per_node.variable);

  Cluster c;
  c.source = "Slurm";
  c.workers = workers;
  c.index = c.rank = static_cast<Rank>(rank);
  c.chief = rank == 0;
  if (!distribution.known) {
    const auto host = number(need(environment, {"SLURM_NODEID"}));
    if (host >= static_cast<std::int64_t>(hosts.size()))
      fail(Blame::usage, "SLURM_NODEID is " + std::to_string(host) + ", but " + nodes.variable +
                             " has " + std::to_string(hosts.size()) + " hosts");
    c.local_rank = static_cast<Rank>(number(need(environment, {"SLURM_LOCALID"})));
    c.local_workers = tasks[static_cast<std::size_t>(host)];
    c.devices = share_gpus(environment, c.local_rank, c.local_workers);
    return c;
  }
  std::vector<Rank> locals(hosts.size(), 0);
  for (Rank r = 0; r < workers; ++r) {
    const std::size_t h = by_rank[static_cast<std::size_t>(r)];
    const Rank local = locals[h]++;
    const int port = kPortBase + local;
    if (port > 65535)
      fail(Blame::usage, hosts[h] + " has " + std::to_string(tasks[h]) + " tasks, but only " +
                             std::to_string(65536 - kPortBase) +
                             " ports: start fewer tasks per node");
    c.addresses.push_back(hosts[h] + ':' + std::to_string(port));
    if (r == rank) c.local_rank = local;
  }
  const std::size_t mine = by_rank[static_cast<std::size_t>(rank)];
  c.local_workers = tasks[mine];
  check(environment, {"SLURM_NODEID"}, static_cast<std::int64_t>(mine), nodes.variable);
  check(environment, {"SLURM_LOCALID"}, c.local_rank, per_node.variable);
  c.devices = share_gpus(environment, c.local_rank, c.local_workers);
  return c;
}

}  // namespace arlab::training
