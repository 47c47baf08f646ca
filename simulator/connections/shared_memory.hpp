// SharedMemory: the network of ranks of one machine, whose messages are copies.
//
// A message needs no link. Its receiver's processor copies it, as soon as the sender's notice has
// come, and above the eager limit also the receive is posted. A rank copies, adds, and computes one
// thing at a time, so that messages to one rank wait for one another, and those from one rank do
// not. Above the eager limit a send ends with the copy. Copies of several ranks at the same time
// share the memory. Additions to elements that the rank has sent in the same round take longer,
// because other ranks' caches hold them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <span>
#include <vector>

#include "simulator/connections/drift.hpp"
#include "simulator/connections/machine.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

class SharedMemory : public Network {
 public:
  SharedMemory(Machine machine, Rank ranks);

  Sent send(const Message& message, Time now) override;
  Work reduce(Rank rank, Bytes bytes, Time now, bool sent) override;
  Work compute(Rank rank, Time duration, Time now) override;

  void post_receive(const Message& message, Time now) override;

  Time next_change() override { return events_.empty() ? kNever : events_.top().time; }
  Change advance(Time now) override;

 private:
  struct Transfer {  // a message on its way, or a receive that is about to be posted
    Message message;
    bool announced = false;  // above the eager limit
    Time alone{}, until{};   // of its copy: its time without others, and its end
    double shared = 0;       // part of it that takes the time of two copies at once
  };
  struct Own {                        // of a rank
    Time free{};                      // when its processor is free
    Time round{-1};                   // when its latest round was started
    Time posted{};                    // when that round's messages leave
    std::deque<std::uint32_t> ready;  // transfers to copy
    bool copies = false;
  };
  struct Waiting {  // of a pair and lane: notices not matched, receives above the eager limit
    std::deque<std::uint32_t> notices;
    std::int64_t receives = 0;
  };
  enum class Kind : std::uint8_t { notice, receive, wake, copied };
  struct Event {
    Time time;
    std::uint64_t order;
    Kind kind;
    std::uint32_t subject;                      // wake: the rank; else the transfer
    bool operator<(const Event& other) const {  // the first is the greatest
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  std::uint32_t add(const Message& message);
  bool announced(const Message& m) const { return static_cast<double>(m.bytes) > machine_.eager; }
  Time start_of_round(Rank rank, bool announced, Time now);
  Waiting& waiting_of(const Message& m);
  void match(Waiting& waiting, Time now);
  void ready(std::uint32_t transfer, Time now);
  void copy_next(Rank rank, Time now);
  void start_copy(std::uint32_t transfer, Time now);
  void share_memory(Transfer& t, Time both);
  void end_copy(std::uint32_t transfer, Time now);
  void schedule(Time time, Kind kind, std::uint32_t subject);
  Own& own(Rank rank) { return own_[static_cast<std::size_t>(rank)]; }

  Machine machine_;
  Time latency_, gap_;
  Drift drift_;
  std::vector<Own> own_;             // by rank
  std::vector<Transfer> transfers_;  // by number; numbers are reused
  std::vector<std::uint32_t> free_, copying_;
  std::map<std::uint64_t, std::map<std::uint32_t, Waiting>> waiting_;  // by pair, then lane
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  std::vector<std::uint32_t> arrived_, completed_;
};

}  // namespace arlab::simulator
