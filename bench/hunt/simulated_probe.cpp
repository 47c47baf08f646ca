#include "bench/hunt/simulated_probe.hpp"

#include <map>
#include <memory>
#include <utility>

#include "simulator/replay/replay.hpp"
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
        routed_(model.make(0, ranks)) {}

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
  int links_between(Rank a, Rank b) {
    return static_cast<int>(routed_->shortcuts()->path(a, b).links.size());
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
  int measured_ = 0;
  std::map<std::pair<std::vector<hunt::Pair>, Bytes>, std::vector<double>> known_;
};

}  // namespace

hunt::Probe simulated_probe(const ModelOptions& model, const Disturbance& disturbance, Rank ranks) {
  const auto pairs = std::make_shared<SimulatedPairs>(model, disturbance, ranks);
  hunt::Probe probe{.ranks = ranks};
  if (const auto fabric = model.fabric(0, ranks); fabric && fabric->topology.groups() > 1)
    for (const Rank host : fabric->host_of)
      probe.group_of.push_back(fabric->topology.group_of(host));
  probe.round_trips = [pairs](std::span<const hunt::Pair> all, Bytes bytes) {
    return pairs->round_trips(all, bytes);
  };
  if (pairs->knows_links())
    probe.distance = [pairs](Rank a, Rank b) { return pairs->links_between(a, b); };
  probe.copy = probe.add = [pairs] { return pairs->alone(); };
  return probe;
}

std::vector<std::string> simulated_hosts(const ModelOptions& model, Rank ranks) {
  const auto fabric = model.fabric(0, ranks);
  std::vector<std::string> all;
  if (fabric)
    for (const Rank host : fabric->host_of) all.push_back(fabric->topology.node(host).name);
  return all;
}

}  // namespace arlab::bench
