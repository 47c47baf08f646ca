// PacketNetwork: packets on the links of a topology, each stored whole by every node on its way.
//
// Each link has a queue at its near end; the packet at its head starts when the link is free and
// the queue ahead has room, which is then kept for it: queues are finite, nothing is ever lost, and
// what cannot go on stops those behind it (head-of-line blocking) and, when its own queue is full,
// those before it (back-pressure). Kermani & Kleinrock, Virtual cut-through, Computer Networks 3,
// 1979 (for store and forward); credits as in Kung, Blackwell, Chapman, Credit-based flow control
// for ATM networks, SIGCOMM 1994.
//
// No deadlock, on any network and any routing: queues belong to virtual channels (link_order.hpp).
// A host keeps messages until there is room for their packets, and takes in whatever arrives.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulator/contention/link_order.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/link_history.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class PacketNetwork {
 public:
  struct Settings {
    Bytes mtu = 1;                ///< bytes of a message in one packet, at most; 1 or more
    Bytes header = 0;             ///< bytes that each packet carries besides
    Bytes queue = 0;              ///< that a queue holds; it has room for a packet at least
    bool queues_by_flow = false;  ///< each message has queues of its own
  };

  /// The topology must outlive this.
  PacketNetwork(const Topology& topology, const Settings& settings);

  /// A message begins to leave its host; `number` is told when its last packet is through. The
  /// route has at least one link.
  void add(std::uint32_t number, Bytes bytes, std::span<const LinkId> route, Time now);

  /// When something happens next, and kNever.
  Time next_change() {
    return !woken_.empty() ? wake_ : events_.empty() ? kNever : events_.next_time();
  }
  /// Does what happens at that time; the numbers of the messages that arrive, valid until the next
  /// call.
  std::span<const std::uint32_t> advance(Time now);

  /// From now on, notes in `history`, which must outlive this, what each link carries when.
  void watch(LinkHistory& history) { history_ = &history; }
  /// Bytes that each link has carried.
  const std::vector<double>& carried() const { return carried_; }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};

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
    Time latency{};
    bool busy = false;
    std::deque<Index> ready;   // queues whose head may go as soon as the link is free
    std::vector<Index> lanes;  // its queues, by virtual channel
  };

  struct Event {
    Time time{};
    Index queue = 0;  // that the packet has left; kNone: it arrives at the end of the link
    Packet packet;
  };

  Channel& channel(LinkId link) { return channels_[static_cast<std::size_t>(link)]; }
  Index take_flow();
  Index take_queue(LinkId link);
  void find_queues(Flow& flow);
  void ask(Index id, Index waiter);
  void ask_for_sources(Index id);
  void give_room(Index id);
  void inject(Index id);
  void enqueue(const Packet& packet);
  void new_head(Index id);
  void may_go(Index id);
  void start(LinkId link);
  void sent(Index id);
  void arrive(Packet packet);

  LinkOrder order_;
  Settings settings_;
  Count depth_;  // packets a queue
  std::vector<Channel> channels_;
  std::vector<double> carried_;  // by link
  std::deque<Queue> queues_;
  std::vector<Flow> flows_;
  std::vector<Index> free_flows_, free_queues_;
  EventQueue<Event> events_;
  std::vector<Index> woken_;  // queues that messages were posted to, at wake_
  Time wake_{};
  std::vector<std::uint32_t> arrived_;
  Time now_{};
  LinkHistory* history_ = nullptr;  // null: nobody watches
};

}  // namespace arlab::simulator
