// Network: the cost of messages and reductions in one model. It knows ranks, bytes and time, but no
// algorithm.
//
// The engine calls it in order of time; a model keeps the times at which each rank's ports and
// processor become free. What only models with links have, and what only fast engines use, are
// interfaces of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"
#include "algorithms/rank_symmetry.hpp"
#include "algorithms/turn.hpp"

namespace arlab::simulator {

struct Message {
  Rank source = 0;
  Rank target = 0;
  Bytes bytes = 0;
  std::uint32_t number = 0;  ///< identifies a message in transit (see Network::advance)
  std::uint32_t lane = 0;    ///< messages of one pair and lane match in order
  Turn turn{};
  std::uint32_t round = 0;  ///< messages of one piece take turns by rounds
};

/// A delay of each message, with an exponential distribution.
struct RandomDelay {
  Time mean{};
  std::uint64_t seed = 0;
};

/// Returns the time of a reduction at `gamma` picoseconds per byte.
inline Time reduction_time(Bytes bytes, double gamma) {
  return to_time(static_cast<double>(bytes) * gamma);
}

/// What messages cost where all ranks and pairs are alike and no links are shared, as numbers.
struct UniformCosts {
  /// A message holds its sender's send port and its receiver's receive port for L + n G, from the
  /// time at which both of its rounds have started. Otherwise the numbers are those of LogGOPS.
  bool exclusive_ports = false;
  Time L{}, o{}, g{};
  double G = 0, O = 0, gamma = 0;  ///< picoseconds per byte
  double S = 0;                    ///< bytes of the largest eager message
  RandomDelay delay{};             ///< by which messages arrive later (noise/message_delays.hpp)
};

/// What a message between two ranks costs while it shares no link with another one.
struct Path {
  Time latency{};                       ///< before it occupies its links
  double rate = 0;                      ///< bytes per picosecond
  double envelope = 0;                  ///< bytes besides its own
  std::span<const std::int32_t> links;  ///< valid until the next call
};

/// A link that loses a share of its bandwidth for a while, or all of it: once, or once per period.
struct LinkFlap {
  std::int32_t link = 0;
  Time begin{};      ///< of the first failure
  Time length{};     ///< of each failure, above 0
  Time period{};     ///< from one failure to the next, above `length`; 0: it fails once
  double share = 0;  ///< of the bandwidth that remains, 0 to 1
};

/// What another job sends from one host to another, without an end.
struct HostStream {
  Rank from = 0, to = 0;  ///< hosts, which differ
};

/// A message that shares links with others, on its way.
struct Transit {
  std::uint32_t number = 0;
  Time change{};              ///< from now until its bytes start to flow, or have arrived
  Time since{};               ///< from the latest change of its rate until now
  double left = 0, rate = 0;  ///< bytes at that change, and bytes per picosecond since then
};

/// The load of a link.
struct LinkLoad {
  std::string name;
  std::string tier;        ///< the kind of link: "host", "leaf-spine", ...
  double bytes = 0;        ///< carried
  double utilization = 0;  ///< carried bytes as a fraction of the link's capacity in that time
  double rate = 0;         ///< capacity in bytes per picosecond
};

class LinkHistory;  // simulator/link_history.hpp
class LinkFlaps;    // simulator/contention/link_flaps.hpp

inline constexpr Time kNever = Time::max();

/// The links of a network that has some.
class NetworkLinks {
 public:
  virtual ~NetworkLinks() = default;
  /// From now on, records in `history`, which must outlive the use of the network, what each
  /// carries.
  virtual void watch(LinkHistory& history) = 0;
  /// Returns the load of each up to `now`, by number.
  virtual std::vector<LinkLoad> loads(Time now) const = 0;
};

/// A transfer of a team of ranks through switches that add (algorithms/teams.hpp). The sum of what
/// the givers send arrives at all takers at once.
struct TeamTransfer {
  std::span<const Rank> members, givers, takers;  ///< in order
  Bytes bytes = 0;                                ///< of the sum, and of each value
  std::uint32_t number = 0, lane = 0;             ///< as of a message
  Turn turn{};
  std::uint32_t round = 0;
};

/// The switches of a network that add.
class AddingSwitches {
 public:
  virtual ~AddingSwitches() = default;
  /// Starts a transfer whose members are all ready; Network::advance() reports its end. Throws
  /// Error(usage) if no tree of such switches joins the members.
  virtual void send(const TeamTransfer& transfer, Time now) = 0;
};

struct ClassNetwork;

/// Returns to whom a rank sends; nothing if it takes long to find out.
using PeersOf = std::function<std::optional<std::vector<Rank>>(Rank)>;

/// What fast engines use of a network with links. A message leaves when both of its rounds have
/// started, holds no port, and is complete at both ends when it arrives.
class ExactShortcuts {
 public:
  virtual ~ExactShortcuts() = default;
  /// Returns the costs of all messages between these ranks that share no link.
  virtual Path path(Rank source, Rank target) = 0;
  /// Returns the messages on their way at `now`, valid until the next call. They and the later
  /// calls decide all later times, relative to `now`. Call next_change() first.
  virtual std::span<const Transit> transits(Time now) = 0;
  /// Adds bytes to what each link, by number, has carried.
  void carry(std::span<const double> bytes) {
    for (std::size_t link = 0; link < bytes.size(); ++link) carried_[link] += bytes[link];
  }
  /// Returns the bytes that each link, by number, has carried.
  virtual std::vector<double> carried() const = 0;
  /// Returns a network on which one rank of each class sends for all, if the network maps the
  /// routes of their messages onto one another under some of the shifts; nothing otherwise. Null:
  /// the shifts along the network's own coordinates, if it has any.
  virtual std::optional<ClassNetwork> of_classes(const RankSymmetry* symmetry,
                                                 const PeersOf& peers_of) = 0;
  /// Returns the time of a reduction on an idle processor.
  Time reduction(Bytes bytes) const { return reduction_time(bytes, gamma_); }

 protected:
  /// `gamma`: picoseconds per reduced byte.
  explicit ExactShortcuts(double gamma) : gamma_(gamma) {}
  std::vector<double> carried_;  ///< bytes of complete messages, by link; sized by the model

 private:
  double gamma_;
};

class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// What a model is, and what it has besides. The objects live as long as the network.
  struct Traits {
    const UniformCosts* uniform =
        nullptr;  ///< the costs if all ranks are alike and no links are shared
    /// A message leaves only when its receive is posted. Until then it occupies no port and does
    /// not delay the messages behind it.
    bool synchronous = false;
    bool has_changes = false;  ///< arrival times are unknown when a message is sent, see advance()
    bool needs_receives = false;  ///< post_receive() is to be called
    bool knows_sent = false;      ///< reduce() is to be told of elements that were sent
    /// Bytes of the largest message that leaves without a request and a grant.
    double eager = std::numeric_limits<double>::infinity();
    Time flight{};  ///< from a message's send to its arrival where all take as long; 0 elsewhere
    NetworkLinks* links = nullptr;
    LinkFlaps* flaps = nullptr;  ///< of these links, which the model heeds from the start on
    std::vector<HostStream>* streams = nullptr;  ///< over these links, as the flaps
    ExactShortcuts* shortcuts = nullptr;
    AddingSwitches* adding = nullptr;
  };
  const Traits& traits() const { return traits_; }
  const UniformCosts* uniform() const { return traits_.uniform; }
  ExactShortcuts* shortcuts() const { return traits_.shortcuts; }
  AddingSwitches* adding() const { return traits_.adding; }
  // Of its links, if it has any.
  void watch_links(LinkHistory& history) {
    if (traits_.links) traits_.links->watch(history);
  }
  /// From the start on, their bandwidths change so. Returns false if the model cannot do that.
  /// Throws Error(usage) as LinkFlaps does.
  bool flap_links(std::vector<LinkFlap> flaps);
  /// From the start on, other jobs send over the same links. Returns false if the model cannot do
  /// that. What they send is no load of the links.
  bool add_streams(std::vector<HostStream> streams) {
    if (!traits_.streams) return false;
    *traits_.streams = std::move(streams);
    if (!traits_.streams->empty()) traits_.shortcuts = nullptr;
    return true;
  }
  std::vector<LinkLoad> loads(Time now) const {
    return traits_.links ? traits_.links->loads(now) : std::vector<LinkLoad>{};
  }

  /// Returns the earliest time from `now` on at which the source can start its next send.
  virtual Time can_send(Rank /*source*/, Time now) { return now; }

  struct Sent {
    /// When the sender may reuse its buffer (eager); kNever: advance() will report it.
    Time sender_done;
    Time arrives;     ///< when the message reaches the target; kNever: advance() will report it
    bool rendezvous;  ///< the sender is done only when the receive is posted (see on_rendezvous)
  };
  /// Sends the message at `now`, a time that can_send() has returned.
  virtual Sent send(const Message& message, Time now) = 0;

  /// Returns the earliest time from `now` on at which the target can start to receive an arrived
  /// message.
  virtual Time can_receive(Rank /*target*/, Time now) { return now; }
  /// Receives the message at `now`, a time that can_receive() has returned. Returns the end.
  virtual Time receive(const Message& /*message*/, Time now) { return now; }

  /// Called for each receive, when its round starts, if needs_receives.
  virtual void post_receive(const Message& /*message*/, Time /*now*/) {}
  /// Called when the receive of a rendezvous message is posted.
  virtual void on_rendezvous(Rank /*source*/, Time /*now*/) {}

  /// Under contention, arrival times are unknown when a message is sent. Such a model has internal
  /// changes. The engine asks for the next one after it has handled all its own events of a time,
  /// and advances to it.
  virtual Time next_change() { return kNever; }
  struct Change {  ///< numbers of messages, valid until the next call
    std::span<const std::uint32_t> arrived;
    std::span<const std::uint32_t> sent;  ///< whose senders are done, before they arrive or with it
  };
  virtual Change advance(Time /*now*/) { return {}; }

  struct Work {
    Time begin, end;
  };
  /// Adds `bytes` of a received message on the rank, from `now` or when its processor is free.
  /// `sent`: to elements that the rank has sent in the same round, if knows_sent.
  virtual Work reduce(Rank rank, Bytes bytes, Time now, bool sent) = 0;
  /// Computes for `duration` on the rank, from `now` or when its processor is free.
  virtual Work compute(Rank rank, Time duration, Time now) = 0;

 protected:
  Network() = default;
  explicit Network(const Traits& traits) : traits_(traits) {}
  Traits traits_;
};

/// A network whose messages stand for their images under the shifts, which share its links, too.
struct ClassNetwork {
  RankSymmetry symmetry;             ///< the shifts that map routes onto routes
  std::unique_ptr<Network> network;  ///< new; ranks keep their numbers
};

}  // namespace arlab::simulator
