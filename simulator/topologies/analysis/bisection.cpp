#include "simulator/topologies/analysis/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "simulator/topologies/analysis/flow.hpp"
#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

constexpr double kMostFlowWork = 3e6;       // halves tried times links
constexpr std::size_t kMostLinks = 20'000;  // of which more halves than one are tried
constexpr std::size_t kMostBounded = 128;   // hosts of which all pairs are routed

// Maximum flows from one part of the hosts to the other.
class Halves {
 public:
  explicit Halves(const Topology& topology, std::span<const Rank> hosts)
      : hosts_(hosts.begin(), hosts.end()),
        nodes_(static_cast<std::size_t>(topology.nodes())),
        network_(nodes_ + 2),
        out_(nodes_),
        in_(nodes_) {
    std::vector<bool> is_one(nodes_);
    for (const Rank host : hosts_) is_one[static_cast<std::size_t>(host)] = true;
    std::vector<Link> links;
    std::ranges::copy_if(topology.links(), std::back_inserter(links),
                         [&](const Link& link) { return usable_among(topology, link, is_one); });
    // The sum stays below 2^62, up to which the flow is exact to one byte per second.
    double total = 1;
    std::vector<std::tuple<NodeId, NodeId, double>> there, back;
    for (const Link& link : links) {
      total += link.bandwidth;
      there.emplace_back(link.from, link.to, link.bandwidth);
      back.emplace_back(link.to, link.from, link.bandwidth);
    }
    std::sort(there.begin(), there.end());
    std::sort(back.begin(), back.end());
    same_both_ways_ = there == back;
    unit_ = std::max(1., total * 4 / 4.6e18);
    for (const Link& link : links) {
      const auto from = static_cast<std::size_t>(link.from), to = static_cast<std::size_t>(link.to);
      const std::int64_t rate = std::llround(link.bandwidth / unit_);
      network_.add(from, to, rate);
      out_[from] += rate;  // a host sends at most the rate of its links
      in_[to] += rate;
    }
    for (const Rank host : hosts_) {
      const auto h = static_cast<std::size_t>(host);
      source_.push_back(network_.add(nodes_, h, 0));
      sink_.push_back(network_.add(h, nodes_ + 1, 0));
    }
  }

  // The rate from the hosts at these places to the others.
  double rate(const std::vector<bool>& sends) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const auto host = static_cast<std::size_t>(hosts_[i]);
      network_.set_capacity(source_[i], sends[i] ? out_[host] : 0);
      network_.set_capacity(sink_[i], sends[i] ? 0 : in_[host]);
    }
    return static_cast<double>(network_.max_flow(nodes_, nodes_ + 1)) * unit_;
  }
  // The rate back, which is the same if all links are.
  double rate_back(std::vector<bool> half) {
    if (same_both_ways_) return std::numeric_limits<double>::infinity();
    half.flip();
    return rate(half);
  }
  double rate_both_ways(const std::vector<bool>& half) {
    return std::min(rate(half), rate_back(half));
  }

 private:
  std::vector<Rank> hosts_;
  std::size_t nodes_;
  FlowNetwork network_;
  std::vector<std::int64_t> out_, in_;
  std::vector<std::size_t> source_, sink_;  // arcs
  double unit_ = 1;
  bool same_both_ways_ = false;
};

// The first half in an order of the places of hosts.
std::vector<bool> first_half(const std::vector<std::size_t>& order) {
  std::vector<bool> half(order.size());
  for (std::size_t i = 0; i < order.size() / 2; ++i) half[order[i]] = true;
  return half;
}

// Orders of the hosts whose halves are likely to be badly connected: that of the network, that of
// each coordinate of a grid, and by distance from the first host and from the one farthest from it.
std::vector<std::vector<std::size_t>> likely_orders(const Topology& topology,
                                                    std::span<const Rank> hosts) {
  std::vector<std::size_t> ranks(hosts.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::vector<std::size_t>> orders;
  const auto add = [&](auto key) {
    std::vector<std::size_t>& order = orders.emplace_back(ranks);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(hosts[a]) < key(hosts[b]); });
  };
  add([](Rank host) { return host; });
  if (const Grid* grid = std::get_if<Grid>(&topology.structure()))
    for (std::int32_t below = 1; const std::int32_t size : grid->dims) {
      add([=](Rank host) { return host / below % size; });
      below *= size;
    }
  Rank from = hosts.front();
  for (int ends = 0; ends < 2; ++ends) {
    const auto distance = distances_to(topology, from);
    add([&](Rank host) { return distance[static_cast<std::size_t>(host)].hops; });
    from = hosts[orders.back().back()];
  }
  return orders;
}

// Sums of the largest values: what half of the senders, or receivers, can put on a link.
double sum_of_largest(std::vector<double> values, std::size_t count) {
  if (values.size() > count)
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count),
                     values.end(), std::greater<>());
  return std::accumulate(
      values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())),
      0.);
}

// The share of a message from each host to the target that each link carries, over all shortest
// routes in equal parts, link by link.
class Shares {
 public:
  Shares(const Topology& topology, Rank target)
      : topology_(topology), distance_(distances_to(topology, target)), target_(target) {}

  bool reaches_from(Rank source) const { return distance_[index(source)].reachable(); }
  template <class Use>
  void from(Rank source, Use use) {
    std::map<std::int32_t, std::map<NodeId, double>, std::greater<>> at;  // by hops to go
    at[hops(source)][source] = 1;
    while (!at.empty() && at.begin()->first > 0) {
      const auto [left, nodes] = *at.begin();
      at.erase(at.begin());
      for (const auto& [node, share] : nodes) {
        std::vector<LinkId> next;
        for (const auto& edge : boost::make_iterator_range(
                 out_edges(static_cast<std::size_t>(node), topology_.graph()))) {
          const LinkId id = topology_.graph()[edge].link;
          const Link& link = topology_.link(id);
          if (hops(link.to) == left - 1 && usable(topology_, link, target_)) next.push_back(id);
        }
        for (const LinkId id : next) {
          const double part = share / static_cast<double>(next.size());
          use(id, part);
          at[left - 1][topology_.link(id).to] += part;
        }
      }
    }
  }

 private:
  std::int32_t hops(NodeId node) const { return distance_[static_cast<std::size_t>(node)].hops; }
  const Topology& topology_;
  std::vector<Distance> distance_;
  Rank target_;
};

// No halves send less than this: then no link would be overloaded.
double routed_bound(const Topology& topology, std::span<const Rank> hosts) {
  const std::size_t n = hosts.size(), half = (n + 1) / 2, links = topology.links().size();
  std::vector<std::vector<double>> by_target(links), by_source(links, std::vector<double>(n));
  for (const Rank target : hosts) {
    Shares shares(topology, target);
    if (!std::all_of(hosts.begin(), hosts.end(), [&](Rank h) { return shares.reaches_from(h); }))
      return 0;
    std::map<LinkId, std::vector<double>> received;
    for (std::size_t s = 0; s < n; ++s)
      if (hosts[s] != target)
        shares.from(hosts[s], [&](LinkId link, double share) {
          received[link].push_back(share);
          by_source[static_cast<std::size_t>(link)][s] += share;
        });
    for (auto& [link, values] : received)
      by_target[static_cast<std::size_t>(link)].push_back(sum_of_largest(std::move(values), half));
  }
  double bound = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < links; ++l) {
    // A sender's share to its receivers: at most one per receiver.
    for (double& share : by_source[l]) share = std::min(share, static_cast<double>(half));
    const double load =
        std::min(sum_of_largest(by_target[l], half), sum_of_largest(by_source[l], half));
    if (load > 0) bound = std::min(bound, topology.links()[l].bandwidth / load);
  }
  return bound * static_cast<double>(n / 2) * static_cast<double>(half);
}

// The hosts by what is the same for both ends of their links; those of one class are exchangeable.
std::vector<std::vector<std::size_t>> alike(const Topology& topology, std::span<const Rank> hosts) {
  using Ends = std::vector<std::tuple<bool, NodeId, double>>;
  std::vector<Ends> of(static_cast<std::size_t>(topology.nodes()));
  for (const Link& link : topology.links()) {
    of[static_cast<std::size_t>(link.from)].emplace_back(true, link.to, link.bandwidth);
    of[static_cast<std::size_t>(link.to)].emplace_back(false, link.from, link.bandwidth);
  }
  std::map<Ends, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    Ends& ends = of[static_cast<std::size_t>(hosts[i])];
    std::sort(ends.begin(), ends.end());
    classes[ends].push_back(i);
  }
  std::vector<std::vector<std::size_t>> all;
  for (auto& [ends, members] : classes) all.push_back(std::move(members));
  return all;
}

// The number of halves that differ in more than hosts that are alike.
double different_halves(const std::vector<std::vector<std::size_t>>& classes, std::size_t half) {
  std::vector<double> ways(half + 1);
  ways[0] = 1;
  for (const auto& members : classes)
    for (std::size_t size = half + 1; size-- > 0;)
      for (std::size_t taken = 1; taken <= std::min(members.size(), size); ++taken)
        ways[size] += ways[size - taken];
  return ways[half];
}

double least_of_all(Halves& halves, const std::vector<std::vector<std::size_t>>& classes,
                    std::size_t count) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> half(count);
  const std::function<void(std::size_t, std::size_t)> choose = [&](std::size_t c,
                                                                   std::size_t left) {
    if (left == 0) {
      least = std::min(least, halves.rate_both_ways(half));
      return;
    }
    if (c == classes.size()) return;
    choose(c + 1, left);
    std::size_t taken = 0;
    for (; taken < std::min(left, classes[c].size()); ++taken) {
      half[classes[c][taken]] = true;
      choose(c + 1, left - taken - 1);
    }
    for (std::size_t i = 0; i < taken; ++i) half[classes[c][i]] = false;
  };
  choose(0, count / 2);
  return least;
}

}  // namespace

Bisection bisection(const Topology& topology, std::span<const Rank> hosts) {
  constexpr double kExact = 1e-9;
  const std::size_t n = hosts.size(), links = topology.links().size();
  Halves halves(topology, hosts);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  Bisection found;
  found.in_order = halves.rate(first_half(order));
  found.most = std::min(found.in_order, halves.rate_back(first_half(order)));
  if (links > kMostLinks) return found;
  for (const auto& likely : likely_orders(topology, hosts))
    found.most = std::min(found.most, halves.rate_both_ways(first_half(likely)));
  if (n <= kMostBounded) found.least = routed_bound(topology, hosts);
  if (found.least >= found.most * (1 - kExact)) {
    found.least = found.most;
    return found;
  }
  const auto classes = alike(topology, hosts);
  const double work = different_halves(classes, n / 2) * static_cast<double>(links + n);
  if (work <= kMostFlowWork) found.most = found.least = least_of_all(halves, classes, n);
  return found;
}

}  // namespace arlab::simulator
