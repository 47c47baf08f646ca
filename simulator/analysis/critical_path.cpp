#include "simulator/analysis/critical_path.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "algorithms/base/stop.hpp"

namespace arlab::simulator {
namespace {

using Step = CriticalStep;
using Index = std::size_t;
constexpr Index kNone = std::numeric_limits<Index>::max();

// Indexes the spans of a trace by rank and end, and the two spans of each message.
class Spans {
 public:
  explicit Spans(const Trace& trace) : all_(trace.spans), used_(trace.spans.size()) {
    for (Index i = 0; i < all_.size(); ++i) {
      of_rank_[all_[i].rank].push_back(i);
      if (all_[i].kind == Span::Kind::send) send_[all_[i].message] = i;
      if (all_[i].kind == Span::Kind::receive) receive_[all_[i].message] = i;
    }
    for (auto& [rank, spans] : of_rank_)
      std::stable_sort(spans.begin(), spans.end(),
                       [&](Index a, Index b) { return all_[a].end < all_[b].end; });
    for (const auto& [message, sent] : send_) {
      const Span &out = all_[sent], &in = all_[receive_.at(message)];
      min_flight_ = std::min(min_flight_, in.begin - out.begin);
      Time& whole = min_whole_.try_emplace(out.bytes, kLatest).first->second;
      whole = std::min(whole, in.end - out.begin);
    }
  }

  const Span& operator[](Index i) const { return all_[i]; }
  Index send_of(const Span& receive) const { return send_.at(receive.message); }
  Index receive_of(const Span& send) const { return receive_.at(send.message); }
  Time min_flight() const { return min_flight_; }
  /// The minimum time from the start of a send of `bytes` to the end of its receive.
  Time min_whole(Bytes bytes) const { return min_whole_.at(bytes); }
  void use(Index i) { used_[i] = true; }

  /// Returns the unused span of the rank that ended at `time` with the greatest worth(span) > 0.
  template <class Worth>
  Index ended(Rank rank, Time time, Worth worth) const {
    Index best = kNone;
    int max = 0;
    const auto& spans = of_rank_.at(rank);
    for (auto i = first_at(spans, time); i != spans.end() && all_[*i].end == time; ++i) {
      if (used_[*i]) continue;
      const int w = worth(all_[*i]);
      if (w <= max) continue;
      best = *i;
      max = w;
    }
    return best;
  }
  /// Returns the unused span of the rank that ended last before `time`.
  Index last_before(Rank rank, Time time) const {
    const auto& spans = of_rank_.at(rank);
    for (auto i = first_at(spans, time); i != spans.begin();)
      if (!used_[*--i]) return *i;
    return kNone;
  }
  template <class Use>
  void each_of(Rank rank, Use use) const {
    for (const Index i : of_rank_.at(rank)) use(i);
  }

 private:
  std::vector<Index>::const_iterator first_at(const std::vector<Index>& spans, Time time) const {
    return std::lower_bound(spans.begin(), spans.end(), time,
                            [&](Index i, Time t) { return all_[i].end < t; });
  }
  const std::vector<Span>& all_;
  std::vector<bool> used_;
  std::unordered_map<Rank, std::vector<Index>> of_rank_;
  std::unordered_map<std::int64_t, Index> send_, receive_;
  std::map<Bytes, Time> min_whole_;
  Time min_flight_ = kLatest;
};

class Tracer {
 public:
  Tracer(const Trace& trace, Time finish) : spans_(trace), time_(finish) {
    int max = 0;
    for (const Span& s : trace.spans)
      if (s.end == finish && (weight(s) > max || (weight(s) == max && s.rank < rank_))) {
        max = weight(s);
        start_at(s);
      }
    if (rank_ < 0)  // the run ends with a rendezvous
      for (const Span& s : trace.spans)
        if (s.begin == finish) start_at(s);
  }

  CriticalPath run() {
    if (rank_ >= 0) step_back(why_done());
    while (time_ > Time{}) {
      stop_if_asked();
      step_back(why_began_);
    }
    std::reverse(path_.steps.begin(), path_.steps.end());
    return std::move(path_);
  }

 private:
  using Cause = Index;  // a span that ended at time_, or kNone

  void start_at(const Span& s) {
    rank_ = s.rank;
    lane_ = s.lane;
  }

  // The priority of spans that ended at the same time: receives explain more than sends.
  static int weight(const Span& s) {
    return s.kind == Span::Kind::reduce ? 3 : s.kind == Span::Kind::receive ? 2 : 1;
  }

  void add(Step::Kind kind, Rank rank, Time begin, const Span& s) {
    path_.steps.push_back({kind, rank, rank_, s.lane, s.round, s.message, begin, time_});
    time_ = begin;
    rank_ = rank;
    lane_ = s.lane;
  }

  // Steps back over the span `cause`, and finds what it waited for.
  void step_back(Cause cause) {
    if (cause == kNone) return rest();
    const Span s = spans_[cause];
    spans_.use(cause);
    if (s.rank != rank_) add(Step::Kind::post, s.rank, time_, s);
    switch (s.kind) {
      case Span::Kind::reduce:
        add(Step::Kind::reduce, s.rank, s.begin, s);
        why_began_ = why_done();
        return;
      case Span::Kind::receive:
        if (s.end > s.begin && s.end <= time_) add(Step::Kind::receive, s.rank, s.begin, s);
        return step_into_message(s);
      case Span::Kind::send:
        add(Step::Kind::send, s.rank, s.begin, s);
        why_began_ = why_sent(s);
        return;
    }
  }

  // The receive started now. Either its message was in transit, or it had arrived and the rank was
  // busy.
  void step_into_message(const Span& in) {
    const Index sent = spans_.send_of(in);
    const Span out = spans_[sent];
    const bool held_both_ends = out.end == in.begin;
    if (!held_both_ends && in.begin - out.begin > spans_.min_flight()) {
      const Index before = spans_.ended(in.rank, in.begin, [](const Span&) { return 1; });
      if (before != kNone || spans_.last_before(in.rank, in.begin) != kNone) {
        why_began_ = before;
        return;
      }
    }
    const Time start = time_ - spans_.min_whole(out.bytes);
    if (held_both_ends && start > out.begin) {  // the message waited for the receiver's port
      const Index before = spans_.ended(
          in.rank, start, [](const Span& s) { return s.kind == Span::Kind::receive ? 1 : 0; });
      if (before != kNone) {
        add(Step::Kind::message, out.rank, start, out);
        why_began_ = before;
        return;
      }
    }
    spans_.use(sent);
    add(Step::Kind::message, out.rank, out.begin, out);
    why_began_ = why_sent(out);
  }

  // Why an activity of the rank's lane ended at time_: first its own work.
  Cause why_done() {
    const Index own = spans_.ended(
        rank_, time_, [&](const Span& s) { return (s.lane == lane_ ? 3 : 0) + weight(s); });
    if (own != kNone) return own;
    // A rendezvous: a receive that matches one of its sends started or was posted now.
    Cause cause = kNone;
    spans_.each_of(rank_, [&](Index i) {
      const Span& s = spans_[i];
      if (cause != kNone || s.kind != Span::Kind::send || s.begin >= time_) return;
      const Span& in = spans_[spans_.receive_of(s)];
      if (in.begin == time_ && in.end > in.begin)
        cause = spans_.receive_of(s);
      else if (in.end <= time_)
        cause = spans_.ended(in.rank, time_, [](const Span&) { return 1; });
    });
    return cause;
  }
  // Why the send started: its round started, its port became free, or its receive was posted.
  Cause why_sent(const Span& s) {
    if (time_ == Time{}) return kNone;
    const Index own = spans_.ended(s.rank, time_, [&](const Span& other) {
      return other.lane == s.lane ? 1 + weight(other) : other.kind == Span::Kind::send ? 1 : 0;
    });
    if (own != kNone) return own;
    const Index theirs = spans_.ended(
        s.peer, time_, [&](const Span& other) { return other.lane == s.lane ? 2 : 1; });
    if (theirs != kNone) return theirs;
    return why_done();
  }

  // Nothing ended now: the rank's port was idle since its last message.
  void rest() {
    const Index before = spans_.last_before(rank_, time_);
    const Time since = before == kNone ? Time{} : spans_[before].end;
    Span none;
    none.rank = rank_;
    none.lane = lane_;
    add(Step::Kind::wait, rank_, since, none);
    why_began_ = before;
  }

  Spans spans_;
  CriticalPath path_;
  Time time_;
  Rank rank_ = -1;
  std::int32_t lane_ = 0;
  Cause why_began_ = kNone;
};

}  // namespace

std::string_view name(CriticalStep::Kind kind) {
  constexpr std::string_view kNames[] = {"send", "message", "receive", "reduce", "post", "wait"};
  return kNames[static_cast<std::size_t>(kind)];
}

Time CriticalPath::spent(CriticalStep::Kind kind) const {
  Time sum{};
  for (const CriticalStep& step : steps)
    if (step.kind == kind) sum += step.end - step.begin;
  return sum;
}

CriticalPath critical_path(const Trace& trace, Time finish) {
  return trace.spans.empty() ? CriticalPath{} : Tracer(trace, finish).run();
}

}  // namespace arlab::simulator
