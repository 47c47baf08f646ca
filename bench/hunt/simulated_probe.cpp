#include "bench/hunt/simulated_probe.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "simulator/replay/replay.hpp"
#include "simulator/topologies/analysis/nics.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

constexpr Bytes kReply = 8;
// Copies and additions by themselves: what a rank that is late by as much does in twice the time.
constexpr Time kAloneTime = 100 * kMicrosecond;

class SimulatedPairs {
 public:
  SimulatedPairs(const ModelOptions& model, const Disturbance& disturbance, Rank ranks)
      : model_(model),
        disturbance_(disturbance),
        ranks_(ranks),
        starts_(disturbance.starts(ranks)),
        routed_(model.make(0, ranks)),
        fabric_(model.fabric(0, ranks)) {}

  std::vector<double> round_trips(std::span<const hunt::Pair> pairs, Bytes bytes) {
    const bool is_repeatable = disturbance_.text().find("seed=") == std::string::npos;
    std::pair key(std::vector(pairs.begin(), pairs.end()), bytes);
    if (is_repeatable)
      if (const auto there = known_.find(key); there != known_.end()) return there->second;
    simulator::TraceGraph trace;
    trace.ranks.resize(index(ranks_));
    for (const hunt::Pair& pair : pairs) add_pair(trace, pair, bytes);
    const auto network = next_network();
    const simulator::ReplayResult result = simulator::replay(trace, *network);
    std::vector<double> all;
    for (const hunt::Pair& pair : pairs)
      all.push_back(microseconds(result.finish_of[index(pair.from)]));
    if (is_repeatable) known_[std::move(key)] = all;
    return all;
  }

  bool knows_links() const { return routed_->shortcuts() != nullptr; }
  // By the tiers there and back: two links of NVLink are another way than two of a NIC.
  int kind_of_route(Rank from, Rank to) {
    std::vector<std::int32_t> kind;
    for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
      const std::size_t first = kind.size();
      for (const simulator::LinkId id : routed_->shortcuts()->path(a, b).links)
        kind.push_back(fabric_->topology.link(id).tier);
      std::ranges::sort(kind.begin() + static_cast<std::ptrdiff_t>(first), kind.end());
      kind.push_back(-1);  // the end
    }
    return kinds_.emplace(std::move(kind), static_cast<int>(kinds_.size())).first->second;
  }

  std::vector<double> alone() {
    const auto network = next_network();
    std::vector<double> all;
    for (Rank r = 0; r < ranks_; ++r)
      all.push_back(microseconds(network->compute(r, kAloneTime, start_of(r)).end));
    return all;
  }

 private:
  Time start_of(Rank rank) const { return starts_.empty() ? Time{} : starts_[index(rank)]; }

  // With other random numbers each time.
  std::unique_ptr<simulator::Network> next_network() {
    return disturbance_.disturbed(model_.make(0, ranks_), model_.fabric(0, ranks_).get(), ranks_,
                                  measured_++);
  }

  // A rank that is late computes first.
  void add_pair(simulator::TraceGraph& trace, const hunt::Pair& pair, Bytes bytes) const {
    using simulator::Operation;
    for (const bool first : {true, false}) {
      const Rank me = first ? pair.from : pair.to, peer = first ? pair.to : pair.from;
      simulator::RankGraph& graph = trace.ranks[index(me)];
      const Operation send{
          .kind = Operation::Kind::send, .peer = peer, .bytes = first ? bytes : kReply};
      const Operation receive{
          .kind = Operation::Kind::receive, .peer = peer, .bytes = first ? kReply : bytes};
      graph.operations = {first ? send : receive, first ? receive : send};
      if (!first) graph.dependencies.push_back({.earlier = 0, .later = 1});
      if (const Time late = start_of(me); late > Time{}) {
        graph.operations.push_back({.kind = Operation::Kind::compute, .duration = late});
        graph.dependencies.push_back({.earlier = 2, .later = 0});
        graph.dependencies.push_back({.earlier = 2, .later = 1});
      }
    }
  }

  const ModelOptions& model_;
  const Disturbance& disturbance_;
  Rank ranks_;
  std::vector<Time> starts_;
  std::unique_ptr<simulator::Network> routed_;  // only for its routes
  std::shared_ptr<const simulator::Fabric> fabric_;
  std::map<std::vector<std::int32_t>, int> kinds_;
  int measured_ = 0;
  std::map<std::pair<std::vector<hunt::Pair>, Bytes>, std::vector<double>> known_;
};

}  // namespace

hunt::Probe simulated_probe(const ModelOptions& model, const Disturbance& disturbance, Rank ranks) {
  const auto pairs = std::make_shared<SimulatedPairs>(model, disturbance, ranks);
  hunt::Probe probe{.ranks = ranks};
  // Of a grid, messages pass the groups of others.
  if (const auto fabric = model.fabric(0, ranks);
      fabric && fabric->topology.groups() > 1 &&
      !std::holds_alternative<simulator::Grid>(fabric->topology.structure()))
    for (const Rank host : fabric->host_of)
      probe.group_of.push_back(fabric->topology.group_of(host));
  probe.round_trips = [pairs](std::span<const hunt::Pair> all, Bytes bytes) {
    return pairs->round_trips(all, bytes);
  };
  if (pairs->knows_links())
    probe.kind_of_route = [pairs](Rank from, Rank to) { return pairs->kind_of_route(from, to); };
  probe.copy = probe.add = [pairs] { return pairs->alone(); };
  return probe;
}

Rank simulated_nics(const ModelOptions& model, Rank ranks) {
  const auto fabric = model.fabric(0, ranks);
  return fabric ? simulator::nics_of_group(fabric->topology) : 1;
}

std::vector<std::string> simulated_hosts(const ModelOptions& model, Rank ranks) {
  const auto fabric = model.fabric(0, ranks);
  std::vector<std::string> all;
  if (fabric)
    for (const Rank host : fabric->host_of) all.push_back(fabric->topology.node(host).name);
  return all;
}

}  // namespace arlab::bench
