#include "simulator/bounds/weighted_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulator/bounds/linear_program.hpp"
#include "simulator/topologies/analysis/flow.hpp"

namespace arlab::simulator {
namespace {

constexpr std::size_t kMaxArcs = 160, kMaxSteps = 60;
constexpr double kTolerance = 1e-7, kPrecision = 1e10;  // of the largest capacity

// Variables: the share of each host, then of each arc what it sends back, then what it adds up.
class Shares {
 public:
  explicit Shares(const CapacityGraph& graph) : graph_(graph) {
    const std::size_t hosts = graph.hosts.size();
    program_.objective.assign(hosts + 2 * graph.arcs.size(), 0);
    std::fill_n(program_.objective.begin(), hosts, 1);
    for (const CapacityArc& arc : graph.arcs)
      largest_ = std::max(largest_, static_cast<double>(arc.capacity));
    for (std::size_t a = 0; a < graph.arcs.size(); ++a) {
      LinearProgram::Row row = empty_row();
      row.limit = static_cast<double>(graph.arcs[a].capacity) / largest_;
      row.coefficients[variable(a, false)] = row.coefficients[variable(a, true)] = 1;
      program_.rows.push_back(std::move(row));
    }
    for (NodeId node = 0; node < graph.nodes; ++node)
      if (!graph.is_host[index(node)])
        for (const bool up : {false, true})
          for (const double sign : {1., -1.}) balance(node, up, sign);
    for (const NodeId host : graph.hosts) {
      std::vector<bool> others(index(graph.nodes), true);
      others[index(host)] = false;
      for (const bool up : {false, true}) add_cut(others, up);
    }
  }

  // Returns the sum of the shares, in units of the largest capacity; nothing if it takes too long.
  std::optional<double> improve() {
    for (std::size_t step = 0; step < kMaxSteps; ++step) {
      x_ = solve(program_);
      bool all = true;
      for (const bool up : {false, true}) all = add_violated(up) && all;
      if (all) return sum();
    }
    return std::nullopt;
  }

  std::vector<double> shares() const {
    std::vector<double> all(x_.begin(), x_.begin() + std::ptrdiff_t(graph_.hosts.size()));
    for (double& share : all) share /= sum();
    return all;
  }
  double largest() const { return largest_; }

 private:
  std::size_t variable(std::size_t arc, bool up) const {
    return graph_.hosts.size() + (up ? graph_.arcs.size() : 0) + arc;
  }
  double sum() const {
    return std::accumulate(x_.begin(), x_.begin() + std::ptrdiff_t(graph_.hosts.size()), 0.0);
  }
  LinearProgram::Row empty_row() const {
    return {std::vector<double>(program_.objective.size()), 0};
  }

  // As much enters a switch as leaves it; two rows, one per sign.
  void balance(NodeId node, bool up, double sign) {
    LinearProgram::Row row = empty_row();
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a) {
      if (graph_.arcs[a].to == node) row.coefficients[variable(a, up)] = sign;
      if (graph_.arcs[a].from == node) row.coefficients[variable(a, up)] = -sign;
    }
    program_.rows.push_back(std::move(row));
  }

  // The shares of the hosts among these nodes leave them on the way back, and enter them on the way
  // up: w(S) - c(out of S) <= 0 and w(S) - u(into S) <= 0.
  void add_cut(const std::vector<bool>& nodes, bool up) {
    LinearProgram::Row row = empty_row();
    for (std::size_t h = 0; h < graph_.hosts.size(); ++h)
      row.coefficients[h] = nodes[index(graph_.hosts[h])] ? 1 : 0;
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a) {
      const bool from = nodes[index(graph_.arcs[a].from)], to = nodes[index(graph_.arcs[a].to)];
      if (from != to && to == up) row.coefficients[variable(a, up)] = -1;
    }
    program_.rows.push_back(std::move(row));
  }

  // Adds the constraints of the cuts to which the present x gives too little capacity. Returns
  // whether there are none.
  bool add_violated(bool up) {
    const auto whole = [](double value) {
      return static_cast<std::int64_t>(std::llround(std::max(0.0, value) * kPrecision));
    };
    const std::size_t hosts = graph_.hosts.size(), source = index(graph_.nodes);
    FlowNetwork network(source + 1);
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a) {
      const CapacityArc& arc = graph_.arcs[a];
      network.add(index(up ? arc.to : arc.from), index(up ? arc.from : arc.to),
                  whole(x_[variable(a, up)]));
    }
    for (std::size_t h = 0; h < hosts; ++h) network.add(source, index(graph_.hosts[h]), whole(x_[h]));
    const double wanted = sum();
    bool none = true;
    for (const NodeId host : graph_.hosts) {
      const auto received = static_cast<double>(network.max_flow(source, index(host))) / kPrecision;
      if (received >= wanted - kTolerance) continue;
      std::vector<bool> nodes = network.source_side(source);
      nodes.pop_back();
      add_cut(nodes, up);
      none = false;
    }
    return none;
  }

  const CapacityGraph& graph_;
  LinearProgram program_{};
  double largest_ = 0;
  std::vector<double> x_;
};

}  // namespace

std::optional<WeightedShares> weighted_shares(const CapacityGraph& graph) {
  if (graph.arcs.size() > kMaxArcs) return std::nullopt;
  Shares shares(graph);
  const std::optional<double> sum = shares.improve();
  if (!sum) return std::nullopt;
  return WeightedShares{shares.shares(), *sum * shares.largest() * graph.unit};
}

}  // namespace arlab::simulator
