// Tracer: writes down what the engine does, span by span, and which receive belongs to which send.
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
  /// `late`: the network told only now that the message has arrived, so that the send ends now.
  void receive(Actors::Index actor, Rank source, Bytes bytes, Time begin, Time end, bool late);
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
  std::unordered_map<std::uint64_t, Chain> in_flight_;  // by actor and source
};

}  // namespace arlab::simulator
