// Tracer: records what the engine does as spans, and matches each receive with its send.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/engine/list_pool.hpp"
#include "simulator/engine/round_source.hpp"
#include "simulator/trace.hpp"

namespace arlab::simulator {

class Tracer {
 public:
  Tracer(Trace& trace, const Actors& actors)
      : trace_(trace), actors_(actors), rounds_(actors.size()) {}

  void round(Actors::Index actor) { ++rounds_[actor]; }
  void send(Actors::Index actor, const Action& action, Bytes bytes, Time begin, Time end);
  /// `late`: the arrival time was unknown when the message was sent; its send span ends at `begin`.
  void receive(Actors::Index actor, Rank source, Bytes bytes, Time begin, Time end, bool late);
  /// What one member of a team gives to another, or to itself, by a transfer.
  void transfer(Actors::Index giver, Actors::Index taker, Bytes bytes, Time begin, Time end);
  void reduce(Actors::Index actor, Rank source, Bytes bytes, Time begin, Time end);

 private:
  Span span(Span::Kind kind, Actors::Index actor, Rank peer, Bytes bytes, Time begin,
            Time end) const;

  Trace& trace_;
  const Actors& actors_;
  std::vector<Count> rounds_;  // of each actor
  // Messages of a pair and lane arrive in the order they left, so the k-th send and the k-th
  // receive share a number.
  ListPool<std::int64_t> numbers_;
  std::unordered_map<std::uint64_t, List> in_flight_;  // by actor and source
};

}  // namespace arlab::simulator
