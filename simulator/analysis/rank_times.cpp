#include "simulator/analysis/rank_times.hpp"

#include <algorithm>

namespace arlab::simulator {
namespace {

// The length of a union of intervals that are added by their begin.
struct Covered {
  void add(Time begin, Time end) {
    length += std::max(Time{}, end - std::max(begin, until));
    until = std::max(until, end);
  }
  Time length{}, until{};
};

// The span, or that of the message's send if a receive takes no time of its own.
Span held(const Trace& trace, const Span& span) {
  if (span.kind != Span::Kind::receive || span.end > span.begin || span.message < 0) return span;
  const Span& send = trace.spans[static_cast<std::size_t>(span.message)];
  Span whole = span;
  if (send.end == span.end) whole.begin = send.begin;
  return whole;
}

}  // namespace

std::vector<RankTimes> rank_times(const Trace& trace, Rank ranks, Time finish) {
  std::vector<Span> spans;
  spans.reserve(trace.spans.size());
  for (const Span& span : trace.spans) spans.push_back(held(trace, span));
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  struct Busy {
    Covered by_kind[3], all;
  };
  std::vector<Busy> of_rank(index(ranks));
  for (const Span& span : spans) {
    Busy& busy = of_rank[index(span.rank)];
    busy.by_kind[static_cast<std::size_t>(span.kind)].add(span.begin, span.end);
    busy.all.add(span.begin, span.end);
  }
  std::vector<RankTimes> times;
  const auto length = [](const Busy& busy, Span::Kind kind) {
    return busy.by_kind[static_cast<std::size_t>(kind)].length;
  };
  for (const Busy& busy : of_rank)
    times.push_back({length(busy, Span::Kind::send), length(busy, Span::Kind::receive),
                     length(busy, Span::Kind::reduce), finish - busy.all.length});
  return times;
}

}  // namespace arlab::simulator
