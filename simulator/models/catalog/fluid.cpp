// fluid: messages are flows that share the links of a topology, max-min fair.
//
// A message leaves when its send and its receive are posted, takes the latency of its route, and
// then flows at the rate that max-min fairness gives it until its bytes are through. Casanova et
// al., Versatile, Scalable, and Accurate Simulation of Distributed Applications (SimGrid), JPDC
// 74(10), 2014; with its CM02 model the times are the same (bench/simgrid).
#include <algorithm>

#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/contention/indexed_heap.hpp"
#include "simulator/contention/processors.hpp"
#include "simulator/link_history.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator::model_catalog {
namespace {

std::vector<double> capacities(const Topology& topology) {  // bytes a picosecond
  std::vector<double> all;
  for (const Link& link : topology.links()) all.push_back(link.bandwidth / kPicosecondsPerSecond);
  return all;
}

class Fluid : public Network {
 public:
  Fluid(const Values& values, Rank ranks, std::shared_ptr<const Fabric> fabric)
      : fabric_(std::move(fabric)),
        topology_(fabric_->topology),
        router_(topology_, fabric_->routing, fabric_->seed),
        host_of_(fabric_->host_of),
        envelope_(values.at("envelope")),
        processors_(ranks, values.at("gamma")),
        ways_(static_cast<std::size_t>(ranks)),
        shares_(capacities(topology_), values.at("flow_beta") > 0 ? 1 / values.at("flow_beta") : 0),
        carried_(topology_.links().size()) {}

  bool synchronous() const override { return true; }
  Time can_send(Rank, Time now) override { return now; }

  Sent send(const Message& m, Time now) override {
    const Way& way = way_of(m.source, m.target);
    const IncrementalMaxMin::Flow id = shares_.add(way.links);
    if (id >= flows_.size()) flows_.resize(shares_.flows());
    const double bytes = static_cast<double>(m.bytes) + envelope_;
    flows_[id] = {.number = m.number, .bytes = bytes, .left = bytes};
    agenda_.set(id, now + way.latency);
    return {now, kNever, true};
  }

  Time can_receive(Rank, Time now) override { return now; }
  Time receive(const Message&, Time now) override { return now; }

  Work reduce(Rank rank, Bytes bytes, Time now) override {
    return processors_.reduce(rank, bytes, now);
  }

  bool has_changes() const override { return true; }

  Time next_change() override {
    for (const IncrementalMaxMin::Flow id : shares_.settle()) adopt(id);
    return agenda_.empty() ? kNever : agenda_.next_time();
  }

  std::span<const std::uint32_t> advance(Time now) override {
    now_ = now;
    arrived_.clear();
    if (agenda_.empty() || agenda_.next_time() > now) return arrived_;
    for (const IncrementalMaxMin::Flow id : agenda_.take_next())
      if (shares_.started(id))
        arrive(id);
      else
        enter(id);
    return arrived_;
  }

  void watch_links(LinkHistory& history) override { history_ = &history; }

  std::vector<LinkLoad> loads(Time now) const override {
    return loads_of(topology_, carried_, now);
  }

 private:
  struct Flow {
    std::uint32_t number = 0;  // the engine's
    double bytes = 0;
    double left = 0;  // of them, at `since`
    double rate = 0;  // bytes a picosecond; 0 while it is under latency
    Time since{};
  };

  struct Way {
    Rank target = -1;
    Time latency{};
    std::vector<LinkId> links;
  };

  // The latest of each source is kept: many send to the same rank again and again.
  const Way& way_of(Rank source, Rank target) {
    Way& way = ways_[static_cast<std::size_t>(source)];
    if (way.target == target) return way;
    const auto route = router_.route(host_of_[static_cast<std::size_t>(source)],
                                     host_of_[static_cast<std::size_t>(target)]);
    way.target = target;
    way.latency = router_.latency(route);
    way.links.assign(route.begin(), route.end());
    return way;
  }

  // The latency is over: the flow takes its share.
  void enter(IncrementalMaxMin::Flow id) {
    flows_[id].since = now_;
    shares_.start(id);
  }

  // All bytes are through.
  void arrive(IncrementalMaxMin::Flow id) {
    const Flow& flow = flows_[id];
    if (history_) write_down(id);
    for (const LinkId link : shares_.route(id))
      carried_[static_cast<std::size_t>(link)] += flow.bytes;
    arrived_.push_back(flow.number);
    shares_.stop(id);
  }

  // What the flow carried at the rate that ends now.
  void write_down(IncrementalMaxMin::Flow id) {
    const Flow& flow = flows_[id];
    for (const LinkId link : shares_.route(id))
      history_->add(static_cast<std::size_t>(link), flow.since, now_, flow.rate);
  }

  // The flow has a new rate from now on.
  void adopt(IncrementalMaxMin::Flow id) {
    Flow& flow = flows_[id];
    if (history_) write_down(id);
    const double flowed = flow.rate * picoseconds(now_ - flow.since);
    flow.left = std::max(0.0, flow.left - flowed);
    flow.since = now_;
    flow.rate = shares_.rate(id);
    const double longer = flow.left / flow.rate;
    if (!(longer <= picoseconds(kLongest))) too_slow(id);
    agenda_.set(id, now_ + to_time(longer));
  }

  [[noreturn]] void too_slow(IncrementalMaxMin::Flow id) const {
    const Link* slowest = &topology_.link(shares_.route(id)[0]);
    for (const LinkId link : shares_.route(id))
      if (topology_.link(link).bandwidth < slowest->bandwidth) slowest = &topology_.link(link);
    fail(Blame::usage, "a message of " + short_text(flows_[id].bytes) +
                           " bytes would take over 11 days at its share of link '" + slowest->name +
                           "' (" + short_text(flows_[id].rate * kPicosecondsPerSecond) +
                           " bytes a second): use a smaller size or a faster network");
  }

  std::shared_ptr<const Fabric> fabric_;
  const Topology& topology_;
  Router router_;
  const std::vector<Rank>& host_of_;  // of each rank
  double envelope_;
  Processors processors_;
  std::vector<Way> ways_;
  IncrementalMaxMin shares_;
  std::vector<Flow> flows_;      // by their number in shares_
  IndexedHeap agenda_;           // of the flows: latency over, all through
  std::vector<double> carried_;  // by each link: bytes of flows that are through
  std::vector<std::uint32_t> arrived_;
  Time now_{};
  LinkHistory* history_ = nullptr;  // null: nobody watches
};

std::unique_ptr<Network> make(const Values& values, Rank ranks,
                              std::shared_ptr<const Fabric> fabric) {
  return std::make_unique<Fluid>(values, ranks, std::move(fabric));
}

}  // namespace

Model fluid() {
  using Unit = Parameter::Unit;
  return {
      .name = "fluid",
      .summary = "messages are flows that share the links of a topology, max-min fair",
      .source = "Casanova et al., JPDC 74(10), 2014 (SimGrid)",
      .parameters = {{"envelope", Unit::bytes, "0 B",
                      "bytes that each message carries besides its own"},
                     {"flow_beta", Unit::time_per_byte, "0",
                      "least time a byte of one flow; 0: no limit"},
                     {"gamma", Unit::time_per_byte, "0", "time a byte reduced"}},
      .has_links = true,
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
