// Turns: messages of one pair and channel start one after another (algorithms/turn.hpp).
//
// A message that is ready waits while another one of its connection is on its way. When that one
// has been handed over, the first of those that wait starts: of the first piece, then of the first
// round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::simulator {

class Turns {
 public:
  using Index = std::uint32_t;  ///< of a message on its way; reused

  /// The message, which takes turns with others of this channel, gets this number.
  void add(Index id, const Message& m, std::int32_t channel) {
    if (id >= messages_.size()) messages_.resize(id + std::size_t{1});
    messages_[id] = {m.source, m.target, m.round, count_++, m.turn};
    messages_[id].turn.channel = channel;
  }

  /// The message is ready. Returns whether it starts; otherwise start_next() starts it later.
  bool may_start(Index id) {
    if (!takes_turns(id)) return true;
    const auto [connection, is_free] = connections_.try_emplace(messages_[id]);
    if (!is_free) {
      connection->second.push_back(id);
      std::push_heap(connection->second.begin(), connection->second.end(), Later{messages_});
    }
    return is_free;
  }

  /// The message, which has started, has been handed over.
  void end(Index id) {
    if (takes_turns(id)) ended_.push_back(std::exchange(messages_[id], {}));
  }

  /// Calls start(id) for each message that starts since others have ended.
  template <class Start>
  void start_next(Start start) {
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      const auto connection = connections_.find(ended_[i]);
      std::vector<Index>& waiting = connection->second;
      if (waiting.empty()) {
        connections_.erase(connection);
        continue;
      }
      std::pop_heap(waiting.begin(), waiting.end(), Later{messages_});
      const Index next = waiting.back();
      waiting.pop_back();
      start(next);
    }
    ended_.clear();
  }

 private:
  struct Place {
    Rank source = 0, target = 0;
    std::uint32_t round = 0;
    std::uint64_t number = 0;  // in the order of all
    Turn turn{};
  };
  struct Later {  // for heaps, whose first message is the greatest
    const std::vector<Place>& of;
    static auto key(const Place& p) { return std::tuple(p.turn.piece, p.round, p.number); }
    bool operator()(Index a, Index b) const { return key(of[a]) > key(of[b]); }
  };
  struct SameConnection {
    bool operator()(const Place& a, const Place& b) const {
      return a.source == b.source && a.target == b.target && a.turn.channel == b.turn.channel;
    }
  };
  struct HashConnection {
    std::size_t operator()(const Place& p) const {
      const std::uint64_t pair =
          static_cast<std::uint64_t>(p.source) << 32 | static_cast<std::uint32_t>(p.target);
      return (pair * 0x9E3779B97F4A7C15u >> 7) ^ static_cast<std::uint32_t>(p.turn.channel);
    }
  };

  bool takes_turns(Index id) const { return id < messages_.size() && messages_[id].turn.waits(); }

  std::vector<Place> messages_;  // by number; empty until one takes turns
  // Of connections on which a message is on its way: those that wait, as a heap.
  std::unordered_map<Place, std::vector<Index>, HashConnection, SameConnection> connections_;
  std::vector<Place> ended_;
  std::uint64_t count_ = 0;
};

}  // namespace arlab::simulator
