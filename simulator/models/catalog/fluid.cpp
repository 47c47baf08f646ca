// fluid: messages are flows that share the links of a topology, max-min fair.
//
// A message leaves when its send and its receive are posted, takes the latency of its route, and
// then flows at its max-min fair rate until all its bytes have arrived. One that takes turns flows
// when the one before it has flowed; its latency passes meanwhile. A message that is sprayed flows
// over all shortest routes at once, and one of several flows has arrived when the last has (see
// routing/spray.hpp and latest_routes.hpp). A transfer of a team through
// switches that add is one flow over all links of its tree. Casanova et al., Versatile,
// Scalable, and Accurate Simulation of Distributed Applications (SimGrid), JPDC 74(10), 2014; its
// CM02 model gives the same times (bench/references).
#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/contention/delay_queue.hpp"
#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/contention/indexed_heap.hpp"
#include "simulator/contention/link_flaps.hpp"
#include "simulator/contention/processors.hpp"
#include "simulator/contention/turns.hpp"
#include "simulator/flow_time.hpp"
#include "simulator/link_history.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/routing/latest_routes.hpp"
#include "simulator/topologies/team_trees.hpp"

namespace arlab::simulator::model_catalog {
namespace {

// In bytes per picosecond, of the links, then of what switches add on a link.
std::vector<double> capacities(const SharedLinks& links, const TeamTrees& trees) {
  std::vector<double> all;
  for (std::size_t link = 0; link < links.count(); ++link)
    all.push_back(links[static_cast<LinkId>(link)].bandwidth / kPicosecondsPerSecond);
  for (const double rate : trees.rates()) all.push_back(rate / kPicosecondsPerSecond);
  return all;
}

class Fluid final : public Network,
                    private NetworkLinks,
                    private ExactShortcuts,
                    private AddingSwitches {
 public:
  /// classes: of ranks, one of which sends for all.
  Fluid(const Values& values, Rank ranks, std::shared_ptr<const Fabric> fabric,
        std::optional<RouteClasses> classes = {})
      : Network({.synchronous = true,
                 .has_changes = true,
                 .links = this,
                 .shortcuts = this,
                 .adding = classes ? nullptr : this}),
        ExactShortcuts(values.at("gamma")),
        values_(values),
        fabric_(std::move(fabric)),
        topology_(fabric_->topology),
        links_(topology_, std::move(classes)),
        router_(topology_, fabric_->routing, fabric_->seed),
        routes_(topology_, links_, router_, fabric_->host_of, fabric_->flows),
        trees_(*fabric_, router_.links()),
        envelope_(values.at("envelope")),
        processors_(ranks, values.at("gamma")),
        rates_(capacities(links_, trees_),
               values.at("flow_beta") > 0 ? 1 / values.at("flow_beta") : 0) {
    carried_.resize(links_.count());
    if (!routes_.are_single()) traits_.shortcuts = nullptr;
  }

  Time can_send(Rank, Time now) override { return now; }

  Sent send(const Message& m, Time now) override {
    const auto& ways = routes_.find(m.source, m.target).ways;
    const auto flows = static_cast<std::int32_t>(ways.size());
    const double bytes = (static_cast<double>(m.bytes) + envelope_) / (flows * routes_.parts());
    Message flow = m;
    for (std::int32_t f = 0; f < flows; ++f) {
      if (m.turn.waits()) flow.turn.channel = m.turn.channel * flows + f;
      begin_flow(flow, bytes, ways[index(f)].links, ways[index(f)].latency, now);
    }
    expect_flows(m.number, flows);
    return {now, kNever, true};
  }

  Time can_receive(Rank, Time now) override { return now; }
  Time receive(const Message&, Time now) override { return now; }

  Work reduce(Rank rank, Bytes bytes, Time now, bool) override {
    return processors_.reduce(rank, bytes, now);
  }
  Work compute(Rank rank, Time duration, Time now) override {
    return processors_.compute(rank, duration, now);
  }

  Time next_change() override {
    for (const IncrementalMaxMin::Flow id : rates_.settle()) set_rate(id);
    if (in_transit_ == 0) return kNever;
    const Time arrival = arrivals_.empty() ? kNever : arrivals_.next_time();
    return std::min({starts_.next_time(), arrival, flaps_.next_time()});
  }

  Change advance(Time now) override {
    now_ = now;
    arrived_.clear();
    apply_flaps(now);
    if (!arrivals_.empty() && arrivals_.next_time() == now)
      for (const IncrementalMaxMin::Flow id : arrivals_.take_next()) complete(id);
    if (starts_.next_time() == now)
      for (const IncrementalMaxMin::Flow id : starts_.take_next())
        if (turns_.may_start(id)) start(id);
    turns_.start_next([this](IncrementalMaxMin::Flow id) { start(id); });
    return {.arrived = arrived_, .sent = {}};
  }

 private:
  // bytes: of each of the parts that the links carry.
  void begin_flow(const Message& m, double bytes, std::span<const LinkId> links, Time latency,
                  Time now) {
    if (in_transit_++ == 0) apply_flaps(now);
    const IncrementalMaxMin::Flow id = rates_.add(links);
    if (id >= flows_.size()) flows_.resize(rates_.flows());
    flows_[id] = {.number = m.number, .bytes = bytes, .left = bytes, .since = now};
    flows_[id].change = now + latency;
    starts_.push(id, now, latency);
    turns_.add(id, m);
  }

  // AddingSwitches. Transfers of a team take turns with those from the same giver or to the same
  // taker.
  void send(const TeamTransfer& t, Time now) override {
    const AddingTree::Ways ways = trees_.ways(t);
    const auto only = [&](std::span<const Rank> ranks) {
      return ranks.size() == 1 ? ranks[0] : -1 - t.members[0];
    };
    begin_flow({only(t.givers), only(t.takers), t.bytes, t.number, t.lane, t.turn, t.round},
               static_cast<double>(t.bytes) + envelope_, ways.links, ways.latency, now);
    expect_flows(t.number, 1);
  }

  // A message of several flows has arrived when the last of them has.
  void expect_flows(std::uint32_t number, std::int32_t flows) {
    if (fabric_->flows == 1) return;
    if (number >= flows_left_.size()) flows_left_.resize(number + std::size_t{1});
    flows_left_[number] = flows;
  }
  bool is_last_flow(std::uint32_t number) {
    return fabric_->flows == 1 || --flows_left_[number] == 0;
  }

  // The links of a flow, without what limits transfers in the switches at their ends.
  std::span<const LinkId> links_of(IncrementalMaxMin::Flow id) const {
    const auto route = rates_.route(id);
    const auto end = std::find_if(route.begin(), route.end(), [&](LinkId link) {
      return static_cast<std::size_t>(link) >= carried_.size();
    });
    return {route.begin(), end};
  }

  static constexpr std::uint32_t kArrived = ~std::uint32_t{0};  // instead of a number

  // NetworkLinks. The times of changes are known only with all flows, so links are watched by
  // events. So are links that fail.
  void watch(LinkHistory& history) override {
    history_ = &history;
    traits_.shortcuts = nullptr;
  }
  bool flap(std::vector<LinkFlap> flaps) override {
    flaps_ = LinkFlaps(std::move(flaps));
    if (!flaps_.empty()) traits_.shortcuts = nullptr;
    return true;
  }
  std::vector<LinkLoad> loads(Time now) const override {
    return loads_of(topology_, carried(), now);
  }

  // ExactShortcuts
  Path path(Rank source, Rank target) override {
    const LatestRoutes::Way& way = routes_.find(source, target).ways.front();
    if (way.links.empty()) return {};
    return {way.latency, rates_.rate_alone(way.links), envelope_, way.links};
  }
  std::vector<double> carried() const override { return links_.spread(carried_); }
  std::optional<ClassNetwork> of_classes(const RankSymmetry* symmetry,
                                         const PeersOf& peers_of) override {
    const auto along = symmetry ? *symmetry : shifts_along(*fabric_);
    if (!along) return {};
    auto classes = find_route_classes(*along, topology_, router_, fabric_->host_of, peers_of);
    if (!classes) return {};
    RankSymmetry usable = classes->symmetry;
    return ClassNetwork{std::move(usable), std::make_unique<Fluid>(values_, along->ranks(), fabric_,
                                                                   std::move(classes))};
  }
  std::span<const Transit> transits(Time now) override {
    transits_.clear();
    for (const Flow& f : flows_)
      if (f.number != kArrived)
        transits_.push_back({f.number, f.change - now, now - f.since, f.left, f.rate});
    return transits_;
  }

  struct Flow {
    std::uint32_t number = kArrived;  // the engine's
    double bytes = 0;
    double left = 0;  // bytes that remain at `since`
    double rate = 0;  // bytes per picosecond; 0 during the latency
    Time since{};
    Time change{};  // when the latency ends, or the bytes have arrived
  };

  // While no message is on its way nothing asks for the next change, so flaps may have passed.
  void apply_flaps(Time now) {
    for (const LinkFlaps::Change& change : flaps_.advance(now))
      rates_.set_capacity(change.link, topology_.link(change.link).bandwidth /
                                           kPicosecondsPerSecond * change.share);
  }

  void start(IncrementalMaxMin::Flow id) {
    flows_[id].since = now_;
    rates_.start(id);
  }

  void complete(IncrementalMaxMin::Flow id) {
    const Flow& flow = flows_[id];
    if (history_) record(id);
    for (const LinkId link : links_of(id)) carried_[static_cast<std::size_t>(link)] += flow.bytes;
    if (is_last_flow(flow.number)) arrived_.push_back(flow.number);
    flows_[id].number = kArrived;
    --in_transit_;
    turns_.end(id);
    rates_.stop(id);
  }

  // Records the bytes carried at the rate that ends now.
  void record(IncrementalMaxMin::Flow id) {
    const Flow& flow = flows_[id];
    for (const LinkId link : links_of(id))
      history_->add(static_cast<std::size_t>(link), flow.since, now_, flow.rate);
  }

  // Sets the rate of the flow from now on.
  void set_rate(IncrementalMaxMin::Flow id) {
    Flow& flow = flows_[id];
    if (history_) record(id);
    const double flowed = flow.rate * picoseconds(now_ - flow.since);
    flow.left = std::max(0.0, flow.left - flowed);
    flow.since = now_;
    flow.rate = rates_.rate(id);
    const double longer = flow_picoseconds(flow.left, flow.bytes, flow.rate);
    if (longer <= picoseconds(kLongest)) return schedule(id, now_ + to_time(longer));
    if (flaps_.next_time() == kNever) too_slow(id);
    schedule(id, kNever);  // until a link works again
  }

  void schedule(IncrementalMaxMin::Flow id, Time at) {
    flows_[id].change = at;
    arrivals_.set(id, at);
  }

  [[noreturn]] void too_slow(IncrementalMaxMin::Flow id) const {
    const Link* slowest = &links_[rates_.route(id)[0]];
    for (const LinkId link : links_of(id))
      if (links_[link].bandwidth < slowest->bandwidth) slowest = &links_[link];
    fail(Blame::usage, "a message of " + short_number(flows_[id].bytes) +
                           " bytes would take over 11 days at its share of link '" + slowest->name +
                           "' (" + short_number(flows_[id].rate * kPicosecondsPerSecond) +
                           " bytes per second): use a smaller size or a faster network");
  }

  Values values_;
  std::shared_ptr<const Fabric> fabric_;
  const Topology& topology_;
  SharedLinks links_;
  Router router_;
  LatestRoutes routes_;
  TeamTrees trees_;
  double envelope_;
  Processors processors_;
  IncrementalMaxMin rates_;
  std::vector<Flow> flows_;               // by their number in rates_
  std::vector<std::int32_t> flows_left_;  // of a message, by its number, if it has several
  DelayQueue starts_;                     // of the flows: end of the latency, and then
  Turns turns_;                           // of the flows, after their latency
  IndexedHeap arrivals_;                  // of the last byte
  LinkFlaps flaps_;
  std::size_t in_transit_ = 0;  // flows
  std::vector<std::uint32_t> arrived_;
  std::vector<Transit> transits_;
  Time now_{};
  LinkHistory* history_ = nullptr;  // null: not recorded
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
      .parameters = {{"envelope", Unit::bytes, "0 B", "extra bytes per message"},
                     {"flow_beta", Unit::time_per_byte, "0",
                      "least time per byte of one flow; 0: no limit"},
                     {"gamma", Unit::time_per_byte, "0", "time per reduced byte"}},
      .has_links = true,
      .adds = true,
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
