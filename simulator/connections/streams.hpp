// Streams: the ordered connections between ranks, as TCP provides them.
//
// A stream carries items, first in first out: whole messages, requests, and grants. It hands them
// to the first link of its route in segments, as long as at most `queue` of its bytes wait there,
// and at most `socket` bytes of it are not delivered. Streams of one host share its link in the
// order in which they hand over segments, so that a small item waits behind the segments of others.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/connections/links.hpp"
#include "simulator/connections/machine.hpp"
#include "simulator/link_history.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

class Streams {
 public:
  enum class What : std::uint8_t {
    delivered,  // the last byte of the item has arrived
    written,    // at most `socket` bytes of the item are not delivered
  };
  struct Event {
    What what = What::delivered;
    std::uint32_t item = 0;
  };

  Streams(const Machine& machine, std::shared_ptr<const Fabric> fabric);

  /// Adds an item, whose number the events repeat.
  void add(Rank source, Rank target, std::uint32_t item, double bytes, Time now);
  /// The same, on a second connection of the pair.
  void add_beside(Rank source, Rank target, std::uint32_t item, double bytes, Time now);
  /// The same, but the item passes all that waits, and takes no time.
  void add_urgent(Rank source, Rank target, std::uint32_t item, Time now);

  /// Another job sends between two hosts, without an end.
  void add_endless(const HostStream& stream, Time now);

  /// Returns the time of the next change; kNever if there is none.
  Time next_change() const { return events_.empty() ? kNever : events_.top().time; }
  /// Advances to that time. Returns what happened to items, valid until the next call.
  std::span<const Event> advance(Time now);

  /// Returns the sum of the latencies of the route's links.
  Time latency(Rank source, Rank target);
  const std::vector<double>& carried() const { return links_.carried(); }
  void watch(LinkHistory& history) { links_.watch(history); }

 private:
  struct Item {
    std::uint32_t number;
    double left, packet;  // bytes to hand over, and in a packet
  };
  struct Mark {  // the end of an item in the stream
    std::uint32_t number;
    double end;
    bool written;
  };
  struct Stream {
    std::vector<LinkId> route;
    LinkId back = -1;        // the target's own link, which acknowledgments take; -1: none
    std::deque<Item> items;  // not handed over
    std::deque<Mark> marks;  // not delivered
    double added = 0, sent = 0, queued = 0, delivered = 0;  // bytes; queued: in the first link
  };
  struct Packet {
    Time time;  // when it leaves the link before `hop`
    std::uint64_t order;
    std::uint32_t stream;
    std::uint32_t hop;
    double bytes;
    bool operator<(const Packet& other) const {  // the first is the greatest
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  std::uint32_t stream_of(Rank source, Rank target, bool beside = false);
  Stream& make_stream(Rank from, Rank to);
  void append(std::uint32_t id, std::uint32_t item, double bytes, Time now);
  void write(std::uint32_t id, Time now);
  void forward(const Packet& packet);
  void deliver(Stream& stream, double bytes);
  void report_written(Stream& stream);
  void acknowledge(const Packet& packet);

  double queue_, segment_, socket_, mtu_, acks_;
  std::shared_ptr<const Fabric> fabric_;
  Router router_;
  Links links_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
  std::vector<Stream> streams_;
  std::priority_queue<Packet> events_;
  std::uint64_t order_ = 0;
  std::vector<Event> happened_, early_;
};

}  // namespace arlab::simulator
