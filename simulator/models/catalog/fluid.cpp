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

#include "simulator/contention/alike_flows.hpp"
#include "simulator/contention/delay_queue.hpp"
#include "simulator/contention/incremental_maxmin.hpp"
#include "simulator/contention/indexed_heap.hpp"
#include "simulator/contention/link_flaps.hpp"
#include "simulator/contention/processors.hpp"
#include "simulator/contention/turns.hpp"
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
                 .flaps = &flaps_,
                 .streams = &streams_,
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
    carried_.resize(links_.count() + trees_.rates().size());
    if (!routes_.are_single()) traits_.shortcuts = nullptr;
  }

  Sent send(const Message& m, Time now) override {
    const auto& ways = routes_.find(m.source, m.target).ways;
    const auto flows = static_cast<std::int32_t>(ways.size());
    const double bytes = (static_cast<double>(m.bytes) + envelope_) / (flows * routes_.parts());
    for (std::int32_t f = 0; f < flows; ++f) {
      const auto& way = ways[index(f)];
      const IncrementalMaxMin::Flow id = begin_flow(m.number, bytes, way.links, way.latency, now);
      if (m.turn.waits()) turns_.add(id, m, m.turn.channel * flows + f);
    }
    if (flows > 1) expect_flows(m.number, flows);
    return {now, kNever, true};
  }

  Work reduce(Rank rank, Bytes bytes, Time now, bool) override {
    return processors_.reduce(rank, bytes, now);
  }
  Work compute(Rank rank, Time duration, Time now) override {
    return processors_.compute(rank, duration, now);
  }

  Time next_change() override {
    for (const HostStream& stream : std::exchange(streams_, {})) start(stream);
    for (const IncrementalMaxMin::Flow id : rates_.settle()) set_rate(id);
    if (in_transit_ == 0) return kNever;
    const Time arrival = arrivals_.empty() ? kNever : arrivals_.next_time();
    const Time moves = std::min(starts_.next_time(), arrival);
    if (moves == kNever)
      check_moves_again();
    else
      stands_since_ = kNever;
    return std::min(moves, flaps_.next_time());
  }

  Change advance(Time now) override {
    now_ = now;
    arrived_.clear();
    apply_flaps(now);
    if (!arrivals_.empty() && arrivals_.next_time() == now)
      for (const IncrementalMaxMin::Flow lead : arrivals_.take_next()) complete_first(lead);
    if (starts_.next_time() == now)
      for (const IncrementalMaxMin::Flow id : starts_.take_next())
        if (turns_.may_start(id)) start(id);
    turns_.start_next([this](IncrementalMaxMin::Flow id) { start(id); });
    return {.arrived = arrived_, .sent = {}};
  }

 private:
  // bytes: of each of the parts that the links carry.
  [[gnu::always_inline]] IncrementalMaxMin::Flow begin_flow(std::uint32_t number, double bytes,
                                                            std::span<const LinkId> links,
                                                            Time latency, Time now) {
    if (in_transit_++ == 0) apply_flaps(now);
    const IncrementalMaxMin::Flow id = add_flow(links);
    flows_[id] = {number, false, bytes, now, now + latency};
    starts_.push(id, now, latency);
    return id;
  }

  [[gnu::always_inline]] IncrementalMaxMin::Flow add_flow(std::span<const LinkId> links) {
    const IncrementalMaxMin::Flow id = rates_.add(links);
    if (id >= flows_.size()) {
      flows_.resize(rates_.flows());
      alike_.resize(rates_.flows());
    }
    return id;
  }

  // What other jobs send is a flow that never ends, over one route.
  void start(const HostStream& stream) {
    const auto links = links_.crossed(router_.route(stream.from, stream.to));
    const IncrementalMaxMin::Flow id = add_flow(links);
    flows_[id] = {.bytes = kEndless};
    start(id);
  }

  // AddingSwitches. Transfers of a team take turns with those from the same giver or to the same
  // taker.
  void send(const TeamTransfer& t, Time now) override {
    const AddingTree::Ways ways = trees_.ways(t);
    const auto only = [&](std::span<const Rank> ranks) {
      return ranks.size() == 1 ? ranks[0] : -1 - t.members[0];
    };
    const IncrementalMaxMin::Flow id = begin_flow(
        t.number, static_cast<double>(t.bytes) + envelope_, ways.links, ways.latency, now);
    if (t.turn.waits())
      turns_.add(id, {only(t.givers), only(t.takers), t.bytes, t.number, t.lane, t.turn, t.round},
                 t.turn.channel);
    if (fabric_->flows > 1) expect_flows(t.number, 1);
  }

  // A message of several flows has arrived when the last of them has.
  void expect_flows(std::uint32_t number, std::int32_t flows) {
    if (number >= flows_left_.size()) flows_left_.resize(number + std::size_t{1});
    flows_left_[number] = flows;
  }
  bool is_last_flow(std::uint32_t number) {
    return flows_left_.empty() || --flows_left_[number] == 0;
  }

  // The links of a flow, without what limits transfers in the switches at their ends.
  std::span<const LinkId> links_of(IncrementalMaxMin::Flow id) const {
    const auto route = rates_.route(id);
    const auto end = std::find_if(route.begin(), route.end(), [&](LinkId link) {
      return static_cast<std::size_t>(link) >= links_.count();
    });
    return {route.begin(), end};
  }

  static constexpr std::uint32_t kArrived = ~std::uint32_t{0};  // instead of a number
  static constexpr double kEndless = 1e30;                      // bytes: no run carries as many

  // NetworkLinks. The times of changes are known only with all flows, so links are watched by
  // events.
  void watch(LinkHistory& history) override {
    history_ = &history;
    traits_.shortcuts = nullptr;
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
  std::vector<double> carried() const override {
    return links_.spread({carried_.data(), carried_.data() + links_.count()});
  }
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
      if (f.number != kArrived && !f.started)
        transits_.push_back({f.number, f.starts - now, now - f.since, f.bytes, 0});
    for (const AlikeFlows& alike : alike_)
      alike.each([&](IncrementalMaxMin::Flow id, double left, Time end) {
        transits_.push_back(
            {flows_[id].number, end - now, now - alike.since(), left, alike.rate()});
      });
    return transits_;
  }

  struct Flow {
    std::uint32_t number = kArrived;  // the engine's
    bool started = false;
    double bytes = 0;
    Time since{}, starts{};  // when it was sent, and when its latency ends
  };

  // While no message is on its way nothing asks for the next change, so flaps may have passed.
  void apply_flaps(Time now) {
    for (const LinkFlaps::Change& change : flaps_.advance(now))
      rates_.set_capacity(change.link, topology_.link(change.link).bandwidth /
                                           kPicosecondsPerSecond * change.share);
  }

  // A flow joins those of its route that flow. The one that began first leads them: it stands for
  // all in rates_, and keeps its number until the last of them ends.
  void start(IncrementalMaxMin::Flow id) {
    flows_[id].started = true;
    const IncrementalMaxMin::Flow lead = rates_.alike(rates_.route(id));
    if (lead == IncrementalMaxMin::kNoFlow) {
      rates_.start(id);
      return alike_[id].join(id, flows_[id].bytes, now_);
    }
    rates_.stand_for(lead, 1);
    if (history_) record(lead);
    alike_[lead].join(id, flows_[id].bytes, now_);
    arrivals_.set(lead, alike_[lead].end());
  }

  // Of the flows that the lead stands for, the first ends, and those that end at the same time.
  void complete_first(IncrementalMaxMin::Flow lead) {
    AlikeFlows& alike = alike_[lead];
    if (history_) record(lead);
    std::int32_t ended = 0;
    do {
      const IncrementalMaxMin::Flow id = alike.first();
      complete(id);
      if (id != lead) rates_.stop(id);
      alike.pop();
      ++ended;
    } while (!alike.empty() && alike.end() <= now_);
    if (alike.empty()) return rates_.stop(lead);
    rates_.stand_for(lead, -ended);
    arrivals_.set(lead, alike.end());
  }

  void complete(IncrementalMaxMin::Flow id) {
    const Flow& flow = flows_[id];
    for (const LinkId link : rates_.route(id)) carried_[index(link)] += flow.bytes;
    if (is_last_flow(flow.number)) arrived_.push_back(flow.number);
    flows_[id].number = kArrived;
    --in_transit_;
    turns_.end(id);
  }

  // Records the bytes carried at the rate, or by the flows, that end now.
  void record(IncrementalMaxMin::Flow lead) {
    recorded_.resize(alike_.size());
    const AlikeFlows& alike = alike_[lead];
    const Time begin = std::max(alike.since(), recorded_[lead]);
    const double rate = alike.rate() * static_cast<double>(alike.size());
    for (const LinkId link : links_of(lead))
      history_->add(static_cast<std::size_t>(link), begin, now_, rate);
    recorded_[lead] = now_;
  }

  // Sets the rate of the flows from now on.
  void set_rate(IncrementalMaxMin::Flow lead) {
    AlikeFlows& alike = alike_[lead];
    if (history_) record(lead);
    alike.set_rate(rates_.rate(lead), now_);
    const Time end = alike.end();
    if (end == kNever && alike.bytes_of_first() < kEndless && flaps_.next_time() == kNever)
      too_slow(lead);
    arrivals_.set(lead, end);  // never: until a link works again
  }

  // Where links of a route fail in turns, they may never work together.
  void check_moves_again() {
    constexpr int kPeriods = 1000;
    if (stands_since_ == kNever) stands_since_ = now_;
    if (flaps_.next_time() == kNever || (now_ - stands_since_) / kPeriods <= flaps_.longest())
      return;
    fail(Blame::usage,
         "no message has moved in 1000 periods of the failing links: links of one route fail in "
         "turns, and never work together; use a shorter failure or another seed");
  }

  [[noreturn]] void too_slow(IncrementalMaxMin::Flow lead) const {
    const Link* slowest = &links_[rates_.route(lead)[0]];
    for (const LinkId link : links_of(lead))
      if (links_[link].bandwidth < slowest->bandwidth) slowest = &links_[link];
    const AlikeFlows& alike = alike_[lead];
    fail(Blame::usage, "a message of " + short_number(alike.bytes_of_first()) +
                           " bytes would take over 11 days at its share of link '" + slowest->name +
                           "' (" + short_number(alike.rate() * kPicosecondsPerSecond) +
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
  std::vector<AlikeFlows> alike_;         // for which each of these stands
  std::vector<Time> recorded_;            // of these, up to when the history goes, if there is one
  std::vector<std::int32_t> flows_left_;  // of a message, by its number, if it has several
  DelayQueue starts_;                     // of the flows: end of the latency, and then
  Turns turns_;                           // of the flows, after their latency
  IndexedHeap arrivals_;                  // of the last byte of the first of those alike
  LinkFlaps flaps_;
  std::vector<HostStream> streams_;  // that begin now
  std::size_t in_transit_ = 0;       // flows
  std::vector<std::uint32_t> arrived_;
  std::vector<Transit> transits_;
  Time now_{};
  Time stands_since_ = kNever;      // since when nothing moves; kNever: something does
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
