// Connections: the network of the model `connections`: messages as a library such as Open MPI sends
// them over TCP.
//
// A message up to the eager limit leaves at once. A larger one is announced by a request; the
// target answers with a grant as soon as its receive is posted, and then the message leaves.
// Requests, grants and messages of a pair share one ordered connection (streams.hpp). So a grant
// waits behind a message of its own rank to the same partner, and an exchange is half duplex if one
// partner has granted before the other has asked. What a rank posts first in a round therefore
// matters (Posting).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "simulator/connections/drift.hpp"
#include "simulator/connections/machine.hpp"
#include "simulator/connections/streams.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

/// Returns the network of the machine: Connections on the fabric, or SharedMemory, which has none.
std::unique_ptr<Network> machine_network(const Machine& machine, Rank ranks,
                                         std::shared_ptr<const Fabric> fabric);

class Connections final : public Network, private NetworkLinks {
 public:
  Connections(Machine machine, Rank ranks, std::shared_ptr<const Fabric> fabric);

  Sent send(const Message& message, Time now) override;
  Work reduce(Rank rank, Bytes bytes, Time now, bool sent) override;
  Work compute(Rank rank, Time duration, Time now) override;

  void post_receive(const Message& message, Time now) override;

  Time next_change() override;
  Change advance(Time now) override;

 private:
  // NetworkLinks
  void watch(LinkHistory& history) override { streams_.watch(history); }
  std::vector<LinkLoad> loads(Time now) const override;

  enum class Step : std::uint8_t { request, grant, message };

  struct Transfer {  // a message on its way
    Message message;
    bool announced = false;  // needs a grant
    Step step = Step::message;
  };
  struct Round {  // of one lane
    std::uint32_t lane = 0;
    std::vector<std::uint32_t> sends;  // transfers
    std::vector<Message> receives;
  };
  struct Posted {  // by a rank, in its order
    std::vector<Round> rounds;
    bool scheduled = false;
  };
  enum class Kind : std::uint8_t { post, leave, arrive };
  struct Event {
    Time time;
    std::uint64_t order;
    Kind kind;
    std::uint32_t subject;                      // post: the rank; else the transfer
    bool operator<(const Event& other) const {  // the first is the greatest
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  struct Waiting {  // of a pair and lane, requests without a receive, or receives without a request
    std::deque<std::uint32_t> requests;
    std::int64_t receives = 0;
  };

  bool is_idle() const;
  void resume(Time now);
  bool announced(const Message& m) const { return static_cast<double>(m.bytes) > machine_.eager; }
  Round& round_of(Rank rank, const Message& m, Time now);
  bool sends_first(const Round& round) const;
  void start_rounds(Rank rank);
  void start_round(const Round& round);
  void start(std::uint32_t transfer, Step step);
  void leave(std::uint32_t transfer);
  void arrive(std::uint32_t transfer);
  void schedule(Time time, Kind kind, std::uint32_t subject);
  Waiting& waiting_of(const Message& m);
  Time in_order(const Transfer& t, Time time);

  Machine machine_;
  std::shared_ptr<const Fabric> fabric_;
  Streams streams_;
  std::vector<HostStream> others_;  // of other jobs, which begin now
  Time latency_;                    // beyond that of a route
  Time gap_;
  Drift drift_;
  std::vector<Posted> posted_;       // by rank
  std::vector<Time> processor_;      // by rank: when it is free
  std::vector<Transfer> transfers_;  // by number; numbers are reused
  std::vector<std::uint32_t> free_;
  std::map<std::uint64_t, std::map<std::uint32_t, Waiting>> waiting_;  // by pair, then lane
  std::map<std::uint64_t, Time> last_arrival_;                         // by pair
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Time now_{};
  std::vector<std::uint32_t> arrived_, completed_;
};

}  // namespace arlab::simulator
