#include "simulator/bounds/weighted_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "simulator/bounds/linear_program.hpp"
#include "simulator/bounds/supply_flow.hpp"

namespace arlab::simulator {
namespace {

constexpr std::size_t kMaxArcs = 320;                   // of a program of 10 MB
constexpr double kTolerance = 1e-7, kPrecision = 1e10;  // of the largest capacity
constexpr std::int64_t kMaxCornerDenominator = 60;      // of the corners that are tried exactly
constexpr double kMaxCapacity = 1e12;                   // of which double has the fractions

// How much of all shares reaches a host, at given capacities.
class Carried {
 public:
  explicit Carried(const CapacityGraph& graph) : graph_(graph), flow_(graph) {}

  void set(const std::vector<std::int64_t>& capacities, const std::vector<std::int64_t>& shares) {
    for (std::size_t a = 0; a < capacities.size(); ++a) flow_.set_capacity(a, capacities[a]);
    for (std::size_t h = 0; h < shares.size(); ++h) flow_.set_supply(graph_.hosts[h], shares[h]);
    all_ = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  }
  std::int64_t all() const { return all_; }
  std::int64_t into(NodeId host) { return flow_.into(std::span(&host, 1), all_); }
  std::vector<bool> before_cut() const { return flow_.before_cut(); }

 private:
  const CapacityGraph& graph_;
  SupplyFlow flow_;
  std::int64_t all_ = 0;
};

// Returns the graph with every arc turned around, in the same order, so that both have one
// numbering.
CapacityGraph turned(CapacityGraph graph) {
  for (CapacityArc& arc : graph.arcs) std::swap(arc.from, arc.to);
  return graph;
}

// Variables: the share of each host, then of each arc what it sends back; the rest of its capacity
// adds up. All are in units of the largest capacity.
class Shares {
 public:
  explicit Shares(const CapacityGraph& graph)
      : graph_(graph), back_(turned(graph)), down_(graph), up_(back_) {
    const std::size_t hosts = graph.hosts.size();
    program_.objective.assign(hosts + graph.arcs.size(), 0);
    std::fill_n(program_.objective.begin(), hosts, 1);
    for (const CapacityArc& arc : graph.arcs)
      largest_ = std::max(largest_, static_cast<double>(arc.capacity));
    for (std::size_t a = 0; a < graph.arcs.size(); ++a) {
      LinearProgram::Row row = empty_row();
      row.limit = capacity(a);
      row.coefficients[hosts + a] = 1;
      program_.rows.push_back(std::move(row));
    }
    for (NodeId node = 0; node < graph.nodes; ++node)
      if (!graph.is_host[index(node)])
        for (const double sign : {1., -1.}) balance(node, sign);
    for (const NodeId host : graph.hosts) {
      std::vector<bool> others(index(graph.nodes), true);
      others[index(host)] = false;
      for (const bool up : {false, true}) add_cut(others, up);
    }
  }

  // Returns the work that the best shares took; nothing if it would be more than `most_work`.
  std::optional<double> improve(double most_work) {
    double work = 0;
    for (;;) {
      std::optional<LinearSolution> solution = solve(program_, most_work - work);
      if (!solution) return std::nullopt;
      work += solution->work;
      x_ = std::move(solution->x);
      if (!add_violated()) return work;
    }
  }

  double rate() const { return sum() * largest_ * graph_.unit; }
  std::vector<double> shares() const {
    std::vector<double> all(x_.begin(), x_.begin() + std::ptrdiff_t(graph_.hosts.size()));
    for (double& share : all) share /= sum();
    return all;
  }

  // Returns the time per vector if a corner with a small denominator, near x, has been verified in
  // whole numbers. The determinants of the program, and so the denominators, are those of few cuts.
  std::optional<Fraction> exact_time() {
    if (largest_ > kMaxCapacity) return std::nullopt;
    for (std::int64_t d = 1; d <= kMaxCornerDenominator; ++d) {
      std::vector<std::int64_t> whole;
      const double scale = static_cast<double>(d) * largest_;
      const bool near = std::all_of(x_.begin(), x_.end(), [&](double x) {
        whole.push_back(std::llround(x * scale));
        return std::abs(x * scale - static_cast<double>(whole.back())) < 1e-3;
      });
      if (near) return is_carried(whole, d) ? std::optional(ratio(d, down_.all())) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  double capacity(std::size_t arc) const {
    return static_cast<double>(graph_.arcs[arc].capacity) / largest_;
  }
  double sum() const {
    return std::accumulate(x_.begin(), x_.begin() + std::ptrdiff_t(graph_.hosts.size()), 0.0);
  }
  LinearProgram::Row empty_row() const {
    return {std::vector<double>(program_.objective.size()), 0};
  }

  // As much enters a switch as leaves it; two rows, one per sign.
  void balance(NodeId node, double sign) {
    LinearProgram::Row row = empty_row();
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a) {
      if (graph_.arcs[a].to == node) row.coefficients[graph_.hosts.size() + a] = sign;
      if (graph_.arcs[a].from == node) row.coefficients[graph_.hosts.size() + a] = -sign;
    }
    program_.rows.push_back(std::move(row));
  }

  // The shares of the hosts among these nodes leave them on the way back, and enter them on the way
  // up: w(S) - c(out of S) <= 0 and w(S) + c(into S) <= the capacity into S.
  void add_cut(const std::vector<bool>& nodes, bool up) {
    LinearProgram::Row row = empty_row();
    for (std::size_t h = 0; h < graph_.hosts.size(); ++h)
      row.coefficients[h] = nodes[index(graph_.hosts[h])] ? 1 : 0;
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a) {
      const bool from = nodes[index(graph_.arcs[a].from)], to = nodes[index(graph_.arcs[a].to)];
      if (from == to || to != up) continue;
      row.coefficients[graph_.hosts.size() + a] = up ? 1 : -1;
      if (up) row.limit += capacity(a);
    }
    program_.rows.push_back(std::move(row));
  }

  // Sets what hosts and arcs carry down, and what the rest of the given capacities carries up.
  void set_flows(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& capacities) {
    const auto hosts = std::ptrdiff_t(graph_.hosts.size());
    const std::vector<std::int64_t> shares(x.begin(), x.begin() + hosts);
    const std::vector<std::int64_t> down(x.begin() + hosts, x.end());
    std::vector<std::int64_t> up;
    for (std::size_t a = 0; a < down.size(); ++a)
      up.push_back(std::max<std::int64_t>(0, capacities[a] - down[a]));
    down_.set(down, shares);
    up_.set(up, shares);
  }

  // Adds the constraints of the cuts to which the present x gives too little capacity. Returns
  // whether there are any.
  bool add_violated() {
    std::vector<std::int64_t> whole, capacities;
    for (const double x : x_) whole.push_back(std::llround(x * kPrecision));
    for (std::size_t a = 0; a < graph_.arcs.size(); ++a)
      capacities.push_back(std::llround(capacity(a) * kPrecision));
    set_flows(whole, capacities);
    bool any = false;
    for (const bool up : {false, true}) {
      Carried& way = up ? up_ : down_;
      for (const NodeId host : graph_.hosts) {
        const auto missing = static_cast<double>(way.all() - way.into(host)) / kPrecision;
        if (missing <= kTolerance) continue;
        add_cut(way.before_cut(), up);
        any = true;
      }
    }
    return any;
  }

  // Whether shares and capacities, in d-ths of the graph's unit, can all be carried down and up.
  bool is_carried(const std::vector<std::int64_t>& x, std::int64_t d) {
    CapacityGraph down = graph_;
    std::vector<std::int64_t> capacities;
    for (std::size_t a = 0; a < down.arcs.size(); ++a) {
      capacities.push_back(d * graph_.arcs[a].capacity);
      down.arcs[a].capacity = x[graph_.hosts.size() + a];
      if (down.arcs[a].capacity < 0 || down.arcs[a].capacity > capacities[a]) return false;
    }
    if (unbalanced_switch(down) >= 0) return false;
    set_flows(x, capacities);
    return std::all_of(graph_.hosts.begin(), graph_.hosts.end(), [&](NodeId host) {
      return down_.into(host) == down_.all() && up_.into(host) == up_.all();
    });
  }

  const CapacityGraph& graph_;
  const CapacityGraph back_;
  Carried down_, up_;
  LinearProgram program_{};
  double largest_ = 0;
  std::vector<double> x_;
};

}  // namespace

std::optional<WeightedShares> weighted_shares(const CapacityGraph& graph, double most_work) {
  if (graph.arcs.size() > kMaxArcs) return std::nullopt;
  Shares shares(graph);
  const std::optional<double> work = shares.improve(most_work);
  if (!work) return std::nullopt;
  return WeightedShares{shares.shares(), shares.rate(), shares.exact_time(), *work};
}

}  // namespace arlab::simulator
