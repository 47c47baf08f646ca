#include "simulator/bounds/capacity_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "simulator/bounds/fraction.hpp"
#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {
namespace {

constexpr std::int64_t kMaxDenominator = 1'000'000'000, kMaxCommonDenominator = 1'000'000'000'000;
constexpr double kSame = 1e-12;  // relative difference of two equal bandwidths

// Returns the fraction of the smallest denominator within kSame of x >= 1, by continued fraction;
// denominator 0 if there is none.
Fraction nearest_fraction(double x) {
  std::int64_t before = 0, p = 1, q_before = 1, q = 0;
  double rest = x;
  for (int step = 0; step < 40; ++step) {
    const double whole = std::floor(rest);
    if (whole * static_cast<double>(std::max(p, q)) > 0x1p62) break;
    const auto w = static_cast<std::int64_t>(whole);
    std::tie(before, p) = std::tuple(p, w * p + before);
    std::tie(q_before, q) = std::tuple(q, w * q + q_before);
    if (q > kMaxDenominator) break;
    if (std::abs(static_cast<double>(p) / static_cast<double>(q) - x) <= kSame * x) return {p, q};
    rest = 1 / (rest - whole);
  }
  return {0, 0};
}

// Returns the largest unit of which all rates are multiples; 0 if there is none.
double common_unit(const std::vector<double>& rates) {
  const double slowest = *std::min_element(rates.begin(), rates.end());
  std::int64_t common = 1;
  for (const double rate : rates) {
    // Of the unit so far, so that rates in simple ratios to one another do not each refine it.
    const Fraction f = nearest_fraction(rate / slowest * static_cast<double>(common));
    if (f.denominator == 0 || common > kMaxCommonDenominator / f.denominator) return 0;
    common *= f.denominator;
  }
  return slowest / static_cast<double>(common);
}

// Replaces parallel arcs by one.
void merge_parallel(std::vector<CapacityArc>& arcs) {
  std::sort(arcs.begin(), arcs.end(), [](const CapacityArc& a, const CapacityArc& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  std::size_t kept = 0;
  for (const CapacityArc& arc : arcs)
    if (kept > 0 && arcs[kept - 1].from == arc.from && arcs[kept - 1].to == arc.to) {
      arcs[kept - 1].capacity += arc.capacity;
      arcs[kept - 1].latency = std::min(arcs[kept - 1].latency, arc.latency);
    } else {
      arcs[kept++] = arc;
    }
  arcs.resize(kept);
}

// Divides all capacities by their greatest common divisor.
void reduce(CapacityGraph& graph) {
  std::int64_t common = 0;
  for (const CapacityArc& arc : graph.arcs) common = std::gcd(common, arc.capacity);
  if (common <= 1) return;
  for (CapacityArc& arc : graph.arcs) arc.capacity /= common;
  graph.unit *= static_cast<double>(common);
}

}  // namespace

CapacityGraph capacity_graph(const Topology& topology, std::span<const Rank> host_of) {
  CapacityGraph graph{.nodes = topology.nodes()};
  if (host_of.empty()) {
    graph.hosts.resize(static_cast<std::size_t>(topology.hosts()));
    std::iota(graph.hosts.begin(), graph.hosts.end(), 0);
  } else {
    graph.hosts.assign(host_of.begin(), host_of.end());
  }
  graph.is_host.assign(static_cast<std::size_t>(graph.nodes), false);
  for (const NodeId host : graph.hosts) graph.is_host[static_cast<std::size_t>(host)] = true;
  std::vector<const Link*> links;
  std::vector<double> rates;
  double total = 0;
  for (const Link& link : topology.links()) {
    if (!usable_among(topology, link, graph.is_host)) continue;
    links.push_back(&link);
    total += link.bandwidth;
    rates.push_back(link.bandwidth);
  }
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  if (links.empty()) return graph;
  // Flows are up to the sum of capacities times the number of hosts.
  const double coarsest = total * static_cast<double>(graph.hosts.size()) / 0x1p60;
  graph.unit = common_unit(rates);
  const bool exact = graph.unit >= coarsest && graph.unit > 0;
  if (!exact) graph.unit = std::max(1.0, coarsest);
  for (const Link* link : links) {
    const double multiple = link->bandwidth / graph.unit;
    const auto capacity =
        exact ? std::llround(multiple) : static_cast<std::int64_t>(std::ceil(multiple));
    if (!exact) graph.raised = std::max(graph.raised, static_cast<double>(capacity) / multiple - 1);
    graph.arcs.push_back({link->from, link->to, capacity, link->latency});
  }
  merge_parallel(graph.arcs);
  reduce(graph);
  return graph;
}

CapacityGraph reversed(const CapacityGraph& graph) {
  CapacityGraph back = graph;
  for (CapacityArc& arc : back.arcs) std::swap(arc.from, arc.to);
  merge_parallel(back.arcs);
  return back;
}

bool is_symmetric(const CapacityGraph& graph) {
  const CapacityGraph back = reversed(graph);
  return std::equal(graph.arcs.begin(), graph.arcs.end(), back.arcs.begin(),
                    [](const CapacityArc& a, const CapacityArc& b) {
                      return std::tie(a.from, a.to, a.capacity) ==
                             std::tie(b.from, b.to, b.capacity);
                    });
}

NodeId unbalanced_switch(const CapacityGraph& graph) {
  std::vector<std::int64_t> more_in(static_cast<std::size_t>(graph.nodes));
  for (const CapacityArc& arc : graph.arcs) {
    more_in[static_cast<std::size_t>(arc.to)] += arc.capacity;
    more_in[static_cast<std::size_t>(arc.from)] -= arc.capacity;
  }
  for (NodeId n = 0; n < graph.nodes; ++n)
    if (!graph.is_host[static_cast<std::size_t>(n)] && more_in[static_cast<std::size_t>(n)] != 0)
      return n;
  return -1;
}

std::int64_t capacity_out_of(const CapacityGraph& graph, const std::vector<bool>& nodes) {
  std::int64_t sum = 0;
  for (const CapacityArc& arc : graph.arcs)
    if (nodes[static_cast<std::size_t>(arc.from)] && !nodes[static_cast<std::size_t>(arc.to)])
      sum += arc.capacity;
  return sum;
}

}  // namespace arlab::simulator
