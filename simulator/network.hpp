// Network: what a message costs, as one model sees it. It knows ranks, bytes and time, and no
// algorithm.
//
// The one virtual seam of the simulator. The engine asks in order of time; a model keeps the times
// at which each rank's ports and processor are free.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::simulator {

struct Message {
  Rank source = 0;
  Rank target = 0;
  Bytes bytes = 0;
  std::uint32_t number = 0;  ///< tells messages that are under way apart (see Network::advance)
};

/// What a link has carried.
struct LinkLoad {
  std::string name;
  std::string tier;  ///< its kind: "host", "leaf-spine", ...
  double bytes = 0;
  double share = 0;  ///< of what it could have carried in the time
  double rate = 0;   ///< bytes a picosecond that it can carry
};

class LinkHistory;  // simulator/link_history.hpp

inline constexpr Time kNever = Time::max();

class Network {
 public:
  virtual ~Network() = default;

  /// Whether a message leaves only when its receive is posted. Then one that nobody waits for yet
  /// holds no port, and does not hold up those behind it.
  virtual bool synchronous() const { return false; }

  /// The earliest time from `now` on at which the source can begin to send its next message.
  virtual Time can_send(Rank source, Time now) = 0;

  struct Sent {
    Time sender_done;  ///< when the sender has its buffer back (eager)
    Time arrives;      ///< when the message reaches the target and asks to be received; kNever:
                       ///< advance() tells
    bool rendezvous;   ///< the sender is done only when the receive is posted (see met())
  };
  /// The message leaves; `now` is a time that can_send() allowed.
  virtual Sent send(const Message& message, Time now) = 0;

  /// The earliest time from `now` on at which the target can begin to receive a message that has
  /// arrived.
  virtual Time can_receive(Rank target, Time now) = 0;
  /// The target receives; returns when it is done. `now` is a time that can_receive() allowed.
  virtual Time receive(const Message& message, Time now) = 0;

  /// Where messages slow one another down, a network cannot tell at once when one arrives. Such a
  /// network has changes of its own: the engine asks for the next one when all that it does itself
  /// at this time is done, and goes on to it by advance(), which returns the numbers of the
  /// messages that arrive then. Valid until the next call.
  virtual bool has_changes() const { return false; }
  virtual Time next_change() { return kNever; }
  virtual std::span<const std::uint32_t> advance(Time /*now*/) { return {}; }

  /// From now on, notes in `history` what each link carries when. It must outlive the network's
  /// use. Models without links do nothing.
  virtual void watch_links(LinkHistory& /*history*/) {}
  /// What each link has carried up to `now`, where the model knows links, by their number.
  virtual std::vector<LinkLoad> loads(Time /*now*/) const { return {}; }

  /// A rendezvous message has met its receive.
  virtual void met(Rank /*source*/, Time /*now*/) {}

  struct Work {
    Time begin, end;
  };
  /// The rank adds `bytes` of a received message, from `now` on or when its processor is free.
  virtual Work reduce(Rank rank, Bytes bytes, Time now) = 0;
};

}  // namespace arlab::simulator
