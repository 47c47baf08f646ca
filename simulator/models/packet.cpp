// packet: messages are cut into packets that are stored and forwarded by every node on their way.
//
// A message leaves when its send and its receive are posted. Each link has a queue at its near end;
// the packet at its head starts when the link is free and the queue ahead has room, which is then
// kept for it: queues are finite, nothing is ever lost, and what cannot go on stops those behind it
// (head-of-line blocking) and, when its own queue is full, those before it (back-pressure). Kermani
// & Kleinrock, Virtual cut-through, Computer Networks 3, 1979 (for store and forward); credits as
// in Kung, Blackwell, Chapman, Credit-based flow control for ATM networks, SIGCOMM 1994.
//
// No deadlock, on any network and any routing: queues belong to virtual channels (link_order.hpp).
// A host keeps messages until there is room for their packets, and takes in whatever arrives.
#include <algorithm>
#include <deque>

#include "simulator/event_queue.hpp"
#include "simulator/link_history.hpp"
#include "simulator/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/link_order.hpp"

namespace arlab::catalog {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = ~Index{0};

struct Flow {                // one message
  std::uint32_t number = 0;  // the engine's
  Count packets = 0;
  Count injected = 0, arrived = 0;
  Bytes last = 0;  // bytes of the last packet
  std::vector<LinkId> route;
  std::vector<Index> queues;  // on each link of the route
};

struct Packet {
  Index flow = 0;
  std::uint32_t hop = 0;  // position in the flow's route
  bool last = false;      // of its message
};

struct Queue {
  LinkId link = 0;
  Count room = 0;  // for packets that are not on their way here yet
  std::deque<Packet> packets;
  std::deque<Index> sources;  // messages with packets that are at their host yet, in turn
  // Who waits for room: queues whose head goes on to here; kNone: the sources, together one.
  std::deque<Index> waiters;
  bool sources_wait = false;
};

struct Channel {    // a link
  double rate = 0;  // bytes a picosecond
  Time latency = 0;
  bool busy = false;
  double carried = 0;        // bytes
  std::deque<Index> ready;   // queues whose head may go as soon as the link is free
  std::vector<Index> lanes;  // its queues, by virtual channel
};

struct Event {
  Time time = 0;
  Index queue = 0;  // that the packet has left; kNone: it arrives at the end of the link
  Packet packet;
};

class PacketNetwork : public Network {
 public:
  PacketNetwork(const Values& values, Rank ranks, std::shared_ptr<const Fabric> fabric)
      : fabric_(std::move(fabric)),
        router_(fabric_->topology, fabric_->routing, fabric_->seed),
        order_(fabric_->topology),
        mtu_(static_cast<Bytes>(values.at("mtu"))),
        header_(static_cast<Bytes>(values.at("header"))),
        gamma_(values.at("gamma")),
        own_queues_(values.at("flow_queues") > 0),
        processor_(static_cast<std::size_t>(ranks)) {
    if (mtu_ < 1) fail(Blame::usage, "mtu is 0: a packet carries at least 1 byte");
    depth_ = std::max<Count>(1, static_cast<Count>(values.at("queue")) / (mtu_ + header_));
    for (const Link& link : fabric_->topology.links()) {
      Channel channel;
      channel.rate = link.bandwidth / static_cast<double>(kSecond);
      channel.latency = link.latency;
      channels_.push_back(std::move(channel));
    }
  }

  bool synchronous() const override { return true; }
  Time can_send(Rank, Time now) override { return now; }

  Sent send(const Message& m, Time now) override {
    const Index id = take_flow();
    Flow& flow = flows_[id];
    flow.number = m.number;
    flow.packets = (m.bytes + mtu_ - 1) / mtu_;
    flow.last = m.bytes - (flow.packets - 1) * mtu_;
    flow.injected = flow.arrived = 0;
    const auto route = router_.route(host_of(m.source), host_of(m.target));
    flow.route.assign(route.begin(), route.end());
    find_queues(flow);
    queues_[flow.queues[0]].sources.push_back(id);
    woken_.push_back(flow.queues[0]);
    wake_ = now;
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
    return !woken_.empty() ? wake_ : events_.empty() ? kNever : events_.next_time();
  }

  std::span<const std::uint32_t> advance(Time now) override {
    now_ = now;
    arrived_.clear();
    for (const Index queue : woken_)
      if (!queues_[queue].sources_wait) ask_for_sources(queue);
    woken_.clear();
    while (!events_.empty() && events_.next_time() == now) {
      const Event event = events_.pop();
      if (event.queue != kNone)
        sent(event.queue);
      else
        arrive(event.packet);
    }
    return arrived_;
  }

  void watch_links(LinkHistory& history) override { history_ = &history; }

  std::vector<LinkLoad> loads(Time now) const override {
    const Topology& topology = fabric_->topology;
    std::vector<LinkLoad> loads;
    for (std::size_t l = 0; l < channels_.size(); ++l) {
      const Link& link = topology.links()[l];
      const double most = channels_[l].rate * static_cast<double>(now);
      loads.push_back({link.name, topology.tiers()[static_cast<std::size_t>(link.tier)],
                       channels_[l].carried, most > 0 ? channels_[l].carried / most : 0,
                       channels_[l].rate});
    }
    return loads;
  }

 private:
  Rank host_of(Rank rank) const { return fabric_->host_of[static_cast<std::size_t>(rank)]; }
  Channel& channel(LinkId link) { return channels_[static_cast<std::size_t>(link)]; }

  Index take_flow() {
    if (free_flows_.empty()) {
      flows_.emplace_back();
      return static_cast<Index>(flows_.size() - 1);
    }
    const Index id = free_flows_.back();
    free_flows_.pop_back();
    return id;
  }

  Index take_queue(LinkId link) {
    Index id = static_cast<Index>(queues_.size());
    if (free_queues_.empty()) {
      queues_.emplace_back();
    } else {
      id = free_queues_.back();
      free_queues_.pop_back();
    }
    queues_[id].link = link;
    queues_[id].room = depth_;
    return id;
  }

  void find_queues(Flow& flow) {
    flow.queues.clear();
    std::size_t lane = 0;
    for (std::size_t i = 0; i < flow.route.size(); ++i) {
      const LinkId link = flow.route[i];
      if (own_queues_) {
        flow.queues.push_back(take_queue(link));
        continue;
      }
      if (i > 0) lane = order_.channel_after(flow.route[i - 1], lane, link);
      while (channel(link).lanes.size() <= lane) {
        const Index queue = take_queue(link);
        channel(link).lanes.push_back(queue);
      }
      flow.queues.push_back(channel(link).lanes[lane]);
    }
  }

  // Room is given in the order in which it was asked for, one packet at a time: streams that meet
  // take turns, and so do the messages of a host.
  void ask(Index id, Index waiter) {
    queues_[id].waiters.push_back(waiter);
    give_room(id);
  }
  void ask_for_sources(Index id) {
    queues_[id].sources_wait = !queues_[id].sources.empty();
    if (queues_[id].sources_wait) ask(id, kNone);
  }

  void give_room(Index id) {
    while (queues_[id].room > 0 && !queues_[id].waiters.empty()) {
      const Index waiter = queues_[id].waiters.front();
      queues_[id].waiters.pop_front();
      --queues_[id].room;
      if (waiter != kNone)
        may_go(waiter);
      else
        inject(id);
    }
  }

  // The next packet of a message that is at its host leaves memory.
  void inject(Index id) {
    Queue& queue = queues_[id];
    const Index source = queue.sources.front();
    queue.sources.pop_front();
    Flow& flow = flows_[source];
    const bool last = ++flow.injected == flow.packets;
    if (!last) queue.sources.push_back(source);
    queue.sources_wait = !queue.sources.empty();
    if (queue.sources_wait) queue.waiters.push_back(kNone);
    enqueue({source, 0, last});
  }

  void enqueue(const Packet& packet) {
    const Index id = flows_[packet.flow].queues[packet.hop];
    queues_[id].packets.push_back(packet);
    if (queues_[id].packets.size() == 1) new_head(id);
  }

  void new_head(Index id) {
    const Packet& packet = queues_[id].packets.front();
    const Flow& flow = flows_[packet.flow];
    if (packet.hop + 1 == flow.route.size()) return may_go(id);
    ask(flow.queues[packet.hop + 1], id);
  }

  void may_go(Index id) {
    const LinkId link = queues_[id].link;
    channel(link).ready.push_back(id);
    start(link);
  }

  // The next packet starts, if the link is free.
  void start(LinkId link) {
    Channel& c = channel(link);
    if (c.busy || c.ready.empty()) return;
    const Index id = c.ready.front();
    c.ready.pop_front();
    c.busy = true;
    const Packet& packet = queues_[id].packets.front();
    const Bytes bytes = header_ + (packet.last ? flows_[packet.flow].last : mtu_);
    const Time done = now_ + to_time(static_cast<double>(bytes) / c.rate);
    c.carried += static_cast<double>(bytes);
    if (history_) history_->add(static_cast<std::size_t>(link), now_, done, c.rate);
    events_.push({.time = done, .queue = id, .packet = {}});
    events_.push({.time = done + c.latency, .queue = kNone, .packet = packet});
  }

  // The head has left its queue whole.
  void sent(Index id) {
    const LinkId link = queues_[id].link;
    channel(link).busy = false;
    queues_[id].packets.pop_front();
    ++queues_[id].room;
    if (!queues_[id].packets.empty()) new_head(id);
    give_room(id);
    start(link);
  }

  void arrive(Packet packet) {
    Flow& flow = flows_[packet.flow];
    if (++packet.hop < flow.route.size()) return enqueue(packet);
    if (++flow.arrived < flow.packets) return;
    arrived_.push_back(flow.number);
    if (own_queues_)
      free_queues_.insert(free_queues_.end(), flow.queues.begin(), flow.queues.end());
    free_flows_.push_back(packet.flow);
  }

  std::shared_ptr<const Fabric> fabric_;
  Router router_;
  LinkOrder order_;
  Bytes mtu_, header_;
  double gamma_;
  bool own_queues_;              // each message has queues of its own
  Count depth_ = 1;              // packets a queue
  std::vector<Time> processor_;  // of each rank: when it is free
  std::vector<Channel> channels_;
  std::deque<Queue> queues_;
  std::vector<Flow> flows_;
  std::vector<Index> free_flows_, free_queues_;
  EventQueue<Event> events_;
  std::vector<Index> woken_;  // queues that messages were posted to, at wake_
  Time wake_ = 0;
  std::vector<std::uint32_t> arrived_;
  Time now_ = 0;
  LinkHistory* history_ = nullptr;  // null: nobody watches
};

std::unique_ptr<Network> make(const Values& values, Rank ranks,
                              std::shared_ptr<const Fabric> fabric) {
  return std::make_unique<PacketNetwork>(values, ranks, std::move(fabric));
}

}  // namespace

Model packet() {
  using Unit = Parameter::Unit;
  return {
      .name = "packet",
      .idea = "packets are stored and forwarded over links with finite queues; for small runs",
      .source = "Dally & Seitz, IEEE Trans. Computers C-36(5), 1987; Kung et al., SIGCOMM 1994",
      .parameters = {{"mtu", Unit::bytes, 4096, "bytes of a message in one packet, at most"},
                     {"header", Unit::bytes, 0, "bytes that each packet carries besides its own"},
                     {"queue", Unit::bytes, 65536, "of each link and virtual channel"},
                     {"flow_queues", Unit::number, 0, "1: each message has queues of its own"},
                     {"gamma", Unit::time_per_byte, 0, "time a byte reduced"}},
      .has_links = true,
      .make = make,
  };
}

}  // namespace arlab::catalog
