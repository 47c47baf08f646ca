#include "simulator/bounds/allreduce.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "simulator/bounds/supply_flow.hpp"
#include "simulator/topologies/analysis/flow.hpp"

namespace arlab::simulator {
namespace {

using Group = std::vector<NodeId>;

// The network with a source before the hosts and a sink behind them.
class HostFlow {
 public:
  explicit HostFlow(const CapacityGraph& graph)
      : source_(index(graph.nodes)), sink_(source_ + 1), network_(sink_ + 1) {
    for (const CapacityArc& arc : graph.arcs) {
      network_.add(index(arc.from), index(arc.to), arc.capacity);
      all_ += arc.capacity;
    }
    for (const NodeId host : graph.hosts) {
      from_source_.push_back(network_.add(source_, index(host), 0));
      to_sink_.push_back(network_.add(index(host), sink_, 0));
    }
  }

  // A capacity that no minimum cut contains.
  std::int64_t unlimited() const { return all_ + 1; }
  void set_link(std::size_t arc, std::int64_t capacity) { network_.set_capacity(arc, capacity); }
  void set_host(std::size_t number, std::int64_t from_source, std::int64_t to_sink) {
    network_.set_capacity(from_source_[number], from_source);
    network_.set_capacity(to_sink_[number], to_sink);
  }
  std::int64_t flow() { return network_.max_flow(source_, sink_); }
  // Returns whether each host is on the sink's side of the cut of the latest flow().
  std::vector<bool> beyond(const CapacityGraph& graph) const {
    const std::vector<bool> side = network_.source_side(source_);
    std::vector<bool> hosts;
    for (const NodeId host : graph.hosts) hosts.push_back(!side[index(host)]);
    return hosts;
  }

 private:
  std::size_t source_, sink_;
  FlowNetwork network_;
  std::vector<std::size_t> from_source_, to_sink_;
  std::int64_t all_ = 0;
};

// One direction of the crossings: flows into groups. For flows out of groups the graph is reversed.
class Direction {
 public:
  Direction(const CapacityGraph& graph, bool is_out)
      : graph_(graph), is_out_(is_out), flow_(graph_) {
    for (const NodeId host : graph_.hosts) flow_.set_supply(host, SupplyFlow::kAny);
  }

  // Returns the maximum flow into a group from the other hosts.
  std::int64_t into(const Group& group) {
    for (const NodeId host : group) flow_.set_supply(host, 0);
    const std::int64_t most = flow_.into(group, SupplyFlow::kAny);
    for (const NodeId host : group) flow_.set_supply(host, SupplyFlow::kAny);
    return most;
  }

  // Returns the bound of k groups whose flows are known in sum.
  AllreduceBound of_groups(std::vector<Group> groups, std::int64_t sum) const {
    const auto k = static_cast<std::int64_t>(groups.size());
    return {ratio(2 * (k - 1), sum), is_out_ ? Crossing::out_of : Crossing::into,
            std::move(groups)};
  }
  AllreduceBound of_one(const Group& group, std::int64_t flow) const {
    return {ratio(1, flow), is_out_ ? Crossing::out_of_one : Crossing::into_one, {group}};
  }

  const CapacityGraph& graph() const { return graph_; }

 private:
  CapacityGraph graph_;
  bool is_out_;
  SupplyFlow flow_;
};

void keep_tighter(AllreduceBound& tightest, AllreduceBound other) {
  if (tightest.time < other.time) tightest = std::move(other);
}

// Returns the images of a group under products of the generators if they cut the hosts, or nothing.
std::vector<Group> images(const Group& group, const Symmetry& symmetry, std::size_t hosts) {
  std::set<Group> met{group};
  std::vector<Group> all{group};
  for (std::size_t next = 0; next < all.size(); ++next)
    for (const auto& generator : symmetry.generators) {
      Group image;
      for (const NodeId host : all[next]) image.push_back(generator[index(host)]);
      std::sort(image.begin(), image.end());
      if (!met.insert(image).second) continue;
      all.push_back(std::move(image));
      if (all.size() * group.size() > hosts) return {};
    }
  if (all.size() * group.size() != hosts) return {};
  std::set<NodeId> covered;
  for (const Group& g : all) covered.insert(g.begin(), g.end());
  return covered.size() == hosts && all.size() > 1 ? all : std::vector<Group>{};
}

void examine(Direction& direction, const Symmetry& symmetry, const std::vector<bool>& cut,
             const std::vector<Group>& groups, AllreduceBound& tightest) {
  std::vector<Group> singles;
  std::int64_t sum = 0;
  for (const NodeId host : direction.graph().hosts) singles.push_back({host});
  for (std::size_t i = 0; i < symmetry.representatives.size(); ++i) {
    const Group one{symmetry.representatives[i]};
    const std::int64_t flow = direction.into(one);
    keep_tighter(tightest, direction.of_one(one, flow));
    sum += flow * symmetry.class_sizes[i];
  }
  keep_tighter(tightest, direction.of_groups(std::move(singles), sum));

  Group here, there;
  for (const NodeId host : direction.graph().hosts)
    (cut[index(host)] ? here : there).push_back(host);
  for (Group* side : {&here, &there}) {
    std::sort(side->begin(), side->end());
    const std::int64_t flow = direction.into(*side);
    keep_tighter(tightest, direction.of_one(*side, flow));
    if (auto all = images(*side, symmetry, here.size() + there.size()); !all.empty()) {
      const auto k = static_cast<std::int64_t>(all.size());
      keep_tighter(tightest, direction.of_groups(std::move(all), k * flow));
    }
  }
  if (groups.size() < 2) return;
  sum = 0;
  for (const Group& group : groups) {
    const std::int64_t flow = direction.into(group);
    keep_tighter(tightest, direction.of_one(group, flow));
    sum += flow;
  }
  keep_tighter(tightest, direction.of_groups(groups, sum));
}

// Minimizes the sum of q f(A) - p over the groups A of a partition of the hosts. f is submodular,
// so a greedy method does it: a host joins the groups that, together with it, lower the sum most.
// Cunningham, Optimal attack and reinforcement of a network, JACM 32(3), 1985; Frank & Tardos.
class BestPartition {
 public:
  BestPartition(const CapacityGraph& graph, std::int64_t q, std::int64_t p)
      : graph_(graph), p_(p), flow_(graph) {
    for (std::size_t arc = 0; arc < graph.arcs.size(); ++arc) {
      flow_.set_link(arc, q * graph.arcs[arc].capacity);
      unlimited_ += q * graph.arcs[arc].capacity;
    }
    for (std::size_t i = 0; i < graph.hosts.size(); ++i) flow_.set_host(i, unlimited_, 0);
    for (std::size_t i = 0; i < graph.hosts.size(); ++i) add(i);
  }

  std::int64_t sum() const { return sum_; }
  std::vector<Group> groups() const {
    std::map<std::size_t, Group> by_group;
    for (std::size_t i = 0; i < group_.size(); ++i) by_group[group_[i]].push_back(graph_.hosts[i]);
    std::vector<Group> all;
    for (auto& [number, group] : by_group) all.push_back(std::move(group));
    return all;
  }

 private:
  void add(std::size_t host) {
    flow_.set_host(host, 0, unlimited_);
    const std::int64_t value = flow_.flow() - earned_ - p_;
    const std::vector<bool> joined = flow_.beyond(graph_);
    std::set<std::size_t> merged;
    for (std::size_t i = 0; i < host; ++i)
      if (joined[i]) merged.insert(group_[i]);
    for (std::size_t& group : group_)
      if (merged.count(group) > 0) group = host;
    group_.push_back(host);
    sum_ += value;
    earned_ += std::max<std::int64_t>(value, 0);
    // A host of positive value is earned if the group contains it; of negative value, paid for.
    flow_.set_host(host, std::max<std::int64_t>(-value, 0), std::max<std::int64_t>(value, 0));
  }

  const CapacityGraph& graph_;
  std::int64_t p_;
  HostFlow flow_;
  std::int64_t unlimited_ = 1, sum_ = 0, earned_ = 0;
  std::vector<std::size_t> group_;  // of each host so far
};

// Newton's method on the ratio: sum of f by k-1. The minimum over partitions is below that of one
// group of all hosts if and only if some partition has a smaller ratio, which is the next one.
// Returns the number of maximum flows.
std::int64_t improve(Direction& direction, AllreduceBound& tightest) {
  for (std::int64_t flows = 0;;) {
    const Fraction f = ratio(2 * tightest.time.denominator, tightest.time.numerator);
    const BestPartition best(direction.graph(), f.denominator, f.numerator);
    flows += static_cast<std::int64_t>(direction.graph().hosts.size());
    if (best.sum() >= -f.numerator) return flows;
    std::vector<Group> groups = best.groups();
    std::int64_t sum = 0;
    for (const Group& group : groups) sum += direction.into(group);
    flows += static_cast<std::int64_t>(groups.size());
    AllreduceBound next = direction.of_groups(std::move(groups), sum);
    expects(tightest.time < next.time, "a smaller sum names a tighter partition");
    tightest = std::move(next);
  }
}

// The least flow between the first host and any other, each way, is the least into any group.
void cut_in_two(Direction& direction, bool symmetric, AllreduceBound& tightest) {
  const CapacityGraph& graph = direction.graph();
  HostFlow flow(graph);
  for (std::size_t other = 1; other < graph.hosts.size(); ++other)
    for (const bool to_other : {true, false}) {
      if (symmetric && !to_other) continue;
      const std::size_t from = to_other ? 0 : other, to = to_other ? other : 0;
      for (std::size_t i = 0; i < graph.hosts.size(); ++i) flow.set_host(i, 0, 0);
      flow.set_host(from, flow.unlimited(), 0);
      flow.set_host(to, 0, flow.unlimited());
      const std::int64_t most = flow.flow();
      if (!(tightest.time < ratio(1, most))) continue;
      const std::vector<bool> beyond = flow.beyond(graph);
      Group group;
      for (std::size_t i = 0; i < graph.hosts.size(); ++i)
        if (beyond[i]) group.push_back(graph.hosts[i]);
      tightest = direction.of_one(group, most);
    }
}

}  // namespace

AllreduceBound allreduce_bound(const CapacityGraph& graph, const Symmetry& symmetry,
                               const std::vector<bool>& cut, const std::vector<Group>& groups) {
  AllreduceBound tightest;
  Direction into(graph, false);
  examine(into, symmetry, cut, groups, tightest);
  if (is_symmetric(graph)) return tightest;
  Direction out(reversed(graph), true);
  examine(out, symmetry, cut, groups, tightest);
  return tightest;
}

AllreduceBound tightest_allreduce_bound(const CapacityGraph& graph, AllreduceBound from) {
  Direction into(graph, false);
  const bool symmetric = is_symmetric(graph);
  cut_in_two(into, symmetric, from);
  std::int64_t flows = (symmetric ? 1 : 2) * (static_cast<std::int64_t>(graph.hosts.size()) - 1);
  flows += improve(into, from);
  if (!symmetric) {
    Direction out(reversed(graph), true);
    flows += improve(out, from);
  }
  from.flows = flows;
  return from;
}

AllreduceBound adding_allreduce_bound(const CapacityGraph& graph, const Symmetry& symmetry,
                                      const std::vector<bool>& cut,
                                      const std::vector<Group>& groups, bool search) {
  std::vector<Group> singles;
  for (const NodeId host : symmetry.representatives) singles.push_back({host});
  for (const bool side : {true, false}) {
    Group& group = singles.emplace_back();
    for (const NodeId host : graph.hosts)
      if (cut[index(host)] == side) group.push_back(host);
  }
  singles.insert(singles.end(), groups.begin(), groups.end());
  std::erase_if(singles, [&](const Group& group) {
    return group.empty() || group.size() == graph.hosts.size();
  });
  AllreduceBound tightest;
  const bool symmetric = is_symmetric(graph);
  for (const bool is_out : {false, true}) {
    if (is_out && symmetric) break;
    Direction direction(is_out ? reversed(graph) : graph, is_out);
    for (const Group& group : singles)
      keep_tighter(tightest, direction.of_one(group, direction.into(group)));
    if (groups.size() < 2) continue;
    std::int64_t sum = 0;
    for (const Group& group : groups) sum += direction.into(group);
    keep_tighter(tightest, direction.of_groups(groups, sum));
  }
  Direction into(graph, false);
  if (search) cut_in_two(into, symmetric, tightest);
  return tightest;
}

}  // namespace arlab::simulator
