// fluid: messages are flows that share the links of a topology, max-min fair.
//
// A message leaves when its send and its receive are posted, takes the latency of its route, and
// then flows at the rate that max-min fairness gives it until its bytes are through. Rates are
// solved again when flows come and go, but only for those that are connected by links to a flow
// that did, and not where a flow has all its links to itself. Casanova et al., Versatile, Scalable,
// and Accurate Simulation of Distributed Applications (SimGrid), JPDC 74(10), 2014.
#include <algorithm>
#include <functional>

#include "simulator/link_history.hpp"
#include "simulator/maxmin.hpp"
#include "simulator/model.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::catalog {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = ~Index{0};

struct Flow {
  std::uint32_t number = 0;  // the engine's
  Index version = 0;         // of its rate; an older entry in the agenda no longer holds
  double bytes = 0;
  double left = 0;  // of them, at `since`
  double rate = 0;  // bytes a picosecond; 0 while it is under latency
  Time since = 0;
  Index seen = 0;  // the solving that met it last
  std::vector<LinkId> route;
  std::vector<Index> places;  // in the flow list of each link of the route
};

struct Channel {        // what flows on one link
  double capacity = 0;  // bytes a picosecond
  double carried = 0;   // bytes, of flows that are through
  std::vector<Index> flows;
  Index seen = 0;
  Index local = 0;  // its number in the part that is being solved
  bool dirty = false;
};

struct Entry {  // something that will happen to a flow, unless its version has changed
  Time time;
  Index flow, version;
  bool operator>(const Entry& other) const {
    return time != other.time ? time > other.time : flow > other.flow;
  }
};

class Fluid : public Network {
 public:
  Fluid(const Values& values, Rank ranks, std::shared_ptr<const Fabric> fabric)
      : fabric_(std::move(fabric)),
        topology_(fabric_->topology),
        router_(topology_, fabric_->routing, fabric_->seed),
        host_of_(fabric_->host_of),
        envelope_(values.at("envelope")),
        cap_(values.at("flow_beta") > 0 ? 1 / values.at("flow_beta") : 0),
        gamma_(values.at("gamma")),
        processor_(static_cast<std::size_t>(ranks)) {
    for (const Link& link : topology_.links()) {
      Channel channel;
      channel.capacity = link.bandwidth / static_cast<double>(kSecond);
      channels_.push_back(std::move(channel));
    }
  }

  bool synchronous() const override { return true; }
  Time can_send(Rank, Time now) override { return now; }

  Sent send(const Message& m, Time now) override {
    const Index id = take_flow();
    Flow& flow = flows_[id];
    flow.number = m.number;
    flow.bytes = flow.left = static_cast<double>(m.bytes) + envelope_;
    flow.rate = 0;
    const auto route = router_.route(host_of(m.source), host_of(m.target));
    flow.route.assign(route.begin(), route.end());
    note(now + router_.latency(route), id);
    return {now, kNever, true};
  }

  Time can_receive(Rank, Time now) override { return now; }
  Time receive(const Message&, Time now) override { return now; }

  Work reduce(Rank rank, Bytes bytes, Time now) override {
    Time& free = processor_[static_cast<std::size_t>(rank)];
    const Time begin = std::max(now, free);
    free = begin + to_time(static_cast<double>(bytes) * gamma_);
    return {begin, free};
  }

  bool has_changes() const override { return true; }

  Time next_change() override {
    settle();
    while (!agenda_.empty() && agenda_.front().version != flows_[agenda_.front().flow].version)
      forget_first();
    return agenda_.empty() ? kNever : agenda_.front().time;
  }

  std::span<const std::uint32_t> advance(Time now) override {
    now_ = now;
    arrived_.clear();
    while (!agenda_.empty() && agenda_.front().time == now) {
      const Entry entry = agenda_.front();
      forget_first();
      if (entry.version != flows_[entry.flow].version) continue;
      if (flows_[entry.flow].places.empty() && !flows_[entry.flow].route.empty())
        enter(entry.flow);
      else
        leave(entry.flow);
    }
    return arrived_;
  }

  void watch_links(LinkHistory& history) override { history_ = &history; }

  std::vector<LinkLoad> loads(Time now) const override {
    std::vector<LinkLoad> loads;
    for (std::size_t l = 0; l < channels_.size(); ++l) {
      const double most = channels_[l].capacity * static_cast<double>(now);
      const Link& link = topology_.links()[l];
      loads.push_back({link.name, topology_.tiers()[static_cast<std::size_t>(link.tier)],
                       channels_[l].carried, most > 0 ? channels_[l].carried / most : 0,
                       channels_[l].capacity});
    }
    return loads;
  }

 private:
  Rank host_of(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  Channel& channel(LinkId link) { return channels_[static_cast<std::size_t>(link)]; }

  Index take_flow() {
    if (free_.empty()) {
      flows_.emplace_back();
      return static_cast<Index>(flows_.size() - 1);
    }
    const Index id = free_.back();
    free_.pop_back();
    return id;
  }

  void note(Time time, Index id) {
    if (agenda_.size() > 64 + 4 * (flows_.size() - free_.size())) forget_old();
    agenda_.push_back({time, id, flows_[id].version});
    std::push_heap(agenda_.begin(), agenda_.end(), std::greater<>());
  }
  // Entries that no longer hold would pile up where rates change often.
  void forget_old() {
    std::erase_if(agenda_, [&](const Entry& e) { return e.version != flows_[e.flow].version; });
    std::make_heap(agenda_.begin(), agenda_.end(), std::greater<>());
  }
  void forget_first() {
    std::pop_heap(agenda_.begin(), agenda_.end(), std::greater<>());
    agenda_.pop_back();
  }

  void mark(LinkId link) {
    if (channel(link).dirty) return;
    channel(link).dirty = true;
    dirty_.push_back(link);
  }

  // The latency is over: the flow takes its share.
  void enter(Index id) {
    Flow& flow = flows_[id];
    flow.since = now_;
    ++flow.version;
    for (const LinkId link : flow.route) {
      flow.places.push_back(static_cast<Index>(channel(link).flows.size()));
      channel(link).flows.push_back(id);
      mark(link);
    }
  }

  // All bytes are through.
  void leave(Index id) {
    Flow& flow = flows_[id];
    if (history_) write_down(flow);
    for (std::size_t i = 0; i < flow.route.size(); ++i) {
      Channel& c = channel(flow.route[i]);
      c.carried += flow.bytes;
      const Index place = flow.places[i], moved = c.flows.back();
      c.flows[place] = moved;
      c.flows.pop_back();
      if (moved != id) replace_place(flows_[moved], flow.route[i], place);
      mark(flow.route[i]);
    }
    arrived_.push_back(flow.number);
    flow.places.clear();
    ++flow.version;
    free_.push_back(id);
  }

  void replace_place(Flow& flow, LinkId link, Index place) {
    for (std::size_t i = 0; i < flow.route.size(); ++i)
      if (flow.route[i] == link) flow.places[i] = place;
  }

  // New rates for all flows that what came and went may concern.
  void settle() {
    if (dirty_.empty()) return;
    ++solving_;
    for (const LinkId link : dirty_) {
      channel(link).dirty = false;
      if (channel(link).seen != solving_) solve_around(link);
    }
    dirty_.clear();
  }

  // The flows and links that are connected with `start`.
  void solve_around(LinkId start) {
    part_links_.assign(1, start);
    part_flows_.clear();
    channel(start).seen = solving_;
    for (std::size_t i = 0; i < part_links_.size(); ++i)
      for (const Index id : channel(part_links_[i]).flows) {
        if (flows_[id].seen == solving_) continue;
        flows_[id].seen = solving_;
        part_flows_.push_back(id);
        for (const LinkId link : flows_[id].route)
          if (channel(link).seen != solving_) {
            channel(link).seen = solving_;
            part_links_.push_back(link);
          }
      }
    if (part_flows_.size() == 1) return set_rate(part_flows_[0], alone(flows_[part_flows_[0]]));
    if (part_flows_.empty()) return;
    sharing_.capacity.clear();
    sharing_.links.clear();
    sharing_.begin.assign(1, 0);
    sharing_.cap = cap_;
    for (const LinkId link : part_links_) {
      channel(link).local = static_cast<Index>(sharing_.capacity.size());
      sharing_.capacity.push_back(channel(link).capacity);
    }
    for (const Index id : part_flows_) {
      for (const LinkId link : flows_[id].route) sharing_.links.push_back(channel(link).local);
      sharing_.begin.push_back(static_cast<Index>(sharing_.links.size()));
    }
    const auto rates = solver_.solve(sharing_);
    for (std::size_t i = 0; i < part_flows_.size(); ++i) set_rate(part_flows_[i], rates[i]);
  }

  // What the flow carried at the rate that ends now.
  void write_down(const Flow& flow) {
    for (const LinkId link : flow.route)
      history_->add(static_cast<std::size_t>(link), flow.since, now_, flow.rate);
  }

  double alone(const Flow& flow) {
    double rate = channel(flow.route[0]).capacity;
    for (const LinkId link : flow.route) rate = std::min(rate, channel(link).capacity);
    return cap_ > 0 ? std::min(rate, cap_) : rate;
  }

  void set_rate(Index id, double rate) {
    Flow& flow = flows_[id];
    if (flow.rate == rate) return;
    if (history_) write_down(flow);
    const double flowed = flow.rate * static_cast<double>(now_ - flow.since);
    flow.left = std::max(0.0, flow.left - flowed);
    flow.since = now_;
    flow.rate = rate;
    ++flow.version;
    note(now_ + to_time(flow.left / rate), id);
  }

  std::shared_ptr<const Fabric> fabric_;
  const Topology& topology_;
  Router router_;
  const std::vector<Rank>& host_of_;  // of each rank
  double envelope_, cap_, gamma_;
  std::vector<Time> processor_;  // of each rank: when it is free
  std::vector<Channel> channels_;
  std::vector<Flow> flows_;
  std::vector<Index> free_;
  std::vector<Entry> agenda_;  // a heap, the earliest first
  std::vector<LinkId> dirty_;
  std::vector<std::uint32_t> arrived_;
  Time now_ = 0;
  LinkHistory* history_ = nullptr;  // null: nobody watches
  Index solving_ = 0;
  // Of the part that is being solved:
  std::vector<LinkId> part_links_;
  std::vector<Index> part_flows_;
  Sharing sharing_;
  MaxMin solver_;
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
      .idea = "messages are flows that share the links of a topology, max-min fair",
      .source = "Casanova et al., JPDC 74(10), 2014 (SimGrid)",
      .parameters = {{"envelope", Unit::bytes, 0,
                      "bytes that each message carries besides its own"},
                     {"flow_beta", Unit::time_per_byte, 0,
                      "least time a byte of one flow; 0: no limit"},
                     {"gamma", Unit::time_per_byte, 0, "time a byte reduced"}},
      .has_links = true,
      .make = make,
  };
}

}  // namespace arlab::catalog
