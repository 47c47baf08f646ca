// PacketNetwork: store-and-forward packets on the links of a topology.
//
// Each link has a queue at its near end. The packet at its head starts when the link is free and
// the next queue has room, which is then reserved. Queues are finite and no packet is lost. A
// blocked packet stops the packets behind it (head-of-line blocking) and, when its queue is full,
// the senders to that queue (back-pressure). Kermani & Kleinrock, Virtual cut-through, Computer
// Networks 3, 1979 (for store and forward); credits as in Kung, Blackwell, Chapman, Credit-based
// flow control for ATM networks, SIGCOMM 1994.
//
// No deadlock occurs on any network with any routing: queues belong to virtual channels
// (link_order.hpp). A host stores messages until their packets have room, and receives all packets
// that arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulator/contention/link_order.hpp"
#include "simulator/contention/turns.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/link_history.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class PacketNetwork {
 public:
  struct Settings {
    Bytes mtu = 1;                ///< maximum bytes of a message in one packet; at least 1
    Bytes header = 0;             ///< additional bytes of each packet
    Bytes queue = 0;              ///< capacity of a queue; it holds at least one packet
    bool queues_by_flow = false;  ///< each message has separate queues
  };

  /// The topology must outlive this.
  PacketNetwork(const Topology& topology, const Settings& settings);

  /// Starts to send a message, in its turn: when the last packet of the one before has left its
  /// host's memory. advance() returns its number when its last packet arrives. The route has at
  /// least one link.
  void add(const Message& message, std::span<const LinkId> route, Time now);

  /// Returns the time of the next event, or kNever.
  Time next_change() {
    return !woken_.empty() ? wake_ : events_.empty() ? kNever : events_.next_time();
  }
  /// Handles the events of that time. Returns the numbers of the messages that arrive, valid until
  /// the next call.
  std::span<const std::uint32_t> advance(Time now);

  /// From now on, records in `history`, which must outlive this, what each link carries.
  void watch(LinkHistory& history) { history_ = &history; }
  /// Returns the bytes that each link has carried.
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
    Count room = 0;  // for packets, less the reserved places
    std::deque<Packet> packets;
    std::deque<Index> sources;  // messages that still have packets at their host, in turn
    // The waiters for room: queues whose head goes to this queue next; kNone for all sources
    // together.
    std::deque<Index> waiters;
    bool sources_wait = false;
  };

  struct Channel {    // a link
    double rate = 0;  // bytes per picosecond
    Time latency{};
    bool busy = false;
    std::deque<Index> ready;   // queues whose head may start when the link is free
    std::vector<Index> lanes;  // its queues, by virtual channel
  };

  struct Event {
    Time time{};
    Index queue = 0;  // the queue that the packet leaves; kNone: it arrives at the end of the link
    Packet packet;
  };

  Channel& channel(LinkId link) { return channels_[static_cast<std::size_t>(link)]; }
  Index take_flow();
  Index take_queue(LinkId link);
  void find_queues(Flow& flow);
  void start_packets(Index flow, Time now);
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
  Count depth_;  // packets per queue
  std::vector<Channel> channels_;
  std::vector<double> carried_;  // by link
  std::deque<Queue> queues_;
  std::vector<Flow> flows_;
  std::vector<Index> free_flows_, free_queues_;
  Turns turns_;  // of the flows
  EventQueue<Event> events_;
  std::vector<Index> woken_;  // queues with new messages, at wake_
  Time wake_{};
  std::vector<std::uint32_t> arrived_;
  Time now_{};
  LinkHistory* history_ = nullptr;  // null: not recorded
};

}  // namespace arlab::simulator
