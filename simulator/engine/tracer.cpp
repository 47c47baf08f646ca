#include "simulator/engine/tracer.hpp"

namespace arlab::simulator {

void Tracer::send(Actors::Index actor, const Action& action, Bytes bytes, Time begin, Time end) {
  const auto number = static_cast<std::int64_t>(trace_.spans.size());
  numbers_.append(in_flight_[pair_key(actors_.peer_of(actor, action), actors_.rank_of(actor))],
                  number);
  trace_.spans.push_back(span(Span::Kind::send, actor, action.peer, bytes, begin, end));
  trace_.spans.back().message = number;
}

void Tracer::receive(Actors::Index actor, Rank source, Bytes bytes, Time begin, Time end,
                     bool late) {
  const std::int64_t number = numbers_.take(in_flight_[pair_key(actor, source)]);
  if (late) trace_.spans[static_cast<std::size_t>(number)].end = begin;
  trace_.spans.push_back(span(Span::Kind::receive, actor, source, bytes, begin, end));
  trace_.spans.back().message = number;
}

void Tracer::transfer(Actors::Index giver, Actors::Index taker, Bytes bytes, Time begin, Time end) {
  const auto number = static_cast<std::int64_t>(trace_.spans.size());
  trace_.spans.push_back(span(Span::Kind::send, giver, actors_.rank_of(taker), bytes, begin, end));
  trace_.spans.back().message = number;
  trace_.spans.push_back(span(Span::Kind::receive, taker, actors_.rank_of(giver), bytes, end, end));
  trace_.spans.back().message = number;
}

void Tracer::reduce(Actors::Index actor, Rank source, Bytes bytes, Time begin, Time end) {
  trace_.spans.push_back(span(Span::Kind::reduce, actor, source, bytes, begin, end));
}

Span Tracer::span(Span::Kind kind, Actors::Index actor, Rank peer, Bytes bytes, Time begin,
                  Time end) const {
  return {kind,
          actors_.rank_of(actor),
          static_cast<std::int32_t>(actors_.lane_of(actor)),
          rounds_[actor],
          peer,
          bytes,
          begin,
          end,
          -1};
}

}  // namespace arlab::simulator
