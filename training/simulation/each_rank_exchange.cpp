// The exchanging threads of EachRank, as Dispatcher and Exchange run them.
#include <algorithm>

#include "training/simulation/each_rank.hpp"

namespace arlab::training {

void EachRank::announce(Rank r, int l) {
  RankState& s = of(r);
  const Count elements = layer(static_cast<std::size_t>(l)).elements;
  s.missing[static_cast<std::size_t>(l)] = elements;
  if (elements > 0) ++s.open;
  if (s.scheduler) s.scheduler->ready(l, now_);
  if (!led_)
    while (std::optional<Bundle> bundle = next_bundle(s))
      s.queue.push_back({std::move(*bundle), true});
  notify(r);
}

std::optional<Bundle> EachRank::next_bundle(RankState& s) {
  while (std::optional<Bundle> bundle = s.scheduler->next(now_)) {
    if (bundle->elements() > 0) return bundle;
    settle(s, *bundle);
  }
  return {};
}

void EachRank::settle(RankState& s, const Bundle& bundle) {
  if (bundle.collective != Collective::reduce_scatter)
    for (const Slice& slice : bundle.slices) {
      Count& missing = s.missing[static_cast<std::size_t>(slice.layer)];
      if (slice.elements == 0) continue;
      missing -= slice.elements;
      if (missing == 0) --s.open;
    }
  if (s.scheduler) s.scheduler->done(bundle, now_);
}

void EachRank::add_jobs(Rank r) {
  RankState& s = of(r);
  if (scheduled_ || plan_.ranks == 1) return;
  const std::size_t before = s.queue.size();
  const auto whole = [&](Collective collective) {
    Bundle bundle{collective, {}};
    for (std::size_t l = 0; l < plan_.layers.size(); ++l)
      bundle.slices.push_back({static_cast<int>(l), 0, layer(l).elements});
    s.queue.push_back({std::move(bundle), false});
  };
  if (plan_.strategy->periodic) {
    for (Bundle& bundle : outer_bundles(plan_, s.step + 1))
      s.queue.push_back({std::move(bundle), false});
  } else {
    for (const Collective c : plan_.strategy->collectives) whole(c);
  }
  const std::size_t jobs = s.queue.size() - before;
  s.jobs += jobs;
  if (jobs > 0) notify(r);
}

void EachRank::exchange(Rank r) {
  RankState& s = of(r);
  while (s.running == 0 && !start_part(r)) {
    if (s.listening) {
      hear(s);
    } else if (!s.task) {
      if (!choose(r)) return;
    } else if (s.parts.size() > s.announcements) {
      finish(r);
    } else {
      if (!can_run(s)) return idle(s);
      const Bundle& bundle = s.task->bundle;
      const std::vector<Transmission> its = transmissions_of(plan_, bundle);
      s.parts.insert(s.parts.end(), its.begin(), its.end());
      s.begun_at = now_;
      s.codec = Time{};
    }
  }
}

void EachRank::hear(RankState& s) {
  s.listening = false;
  s.task = ExchangeTask{decided_[s.announced++], true};
  s.parts = announcements_of(plan_, s.task->bundle);
  s.announcements = s.parts.size();
}

bool EachRank::choose(Rank r) {
  RankState& s = of(r);
  s.parts.clear();
  s.part = s.announcements = 0;
  if (scheduled_ && led_ && r != 0) {
    if (s.open == 0) {
      idle(s);
      return false;
    }
    s.listening = true;
    s.parts = announcements_of(plan_, Bundle{});
    s.announcements = s.parts.size();
    return true;
  }
  if (!s.queue.empty()) {
    s.task = s.queue.front();
    return true;
  }
  if (scheduled_ && led_) {
    if (std::optional<Bundle> bundle = next_bundle(s)) {
      s.parts = announcements_of(plan_, *bundle);
      s.announcements = s.parts.size();
      s.chosen_at = now_;
      decided_.push_back(*bundle);
      s.task = ExchangeTask{std::move(*bundle), true};
      return true;
    }
    const Time wake = s.scheduler->wake(now_);
    idle(s);
    if (wake != simulator::kNever) ring_at(wake, r, Thread::exchange, s.idles);
    return false;
  }
  idle(s);
  return false;
}

bool EachRank::can_run(const RankState& s) const {
  if (!s.task || !s.task->scheduled) return true;
  return std::all_of(
      s.task->bundle.slices.begin(), s.task->bundle.slices.end(), [&](const Slice& slice) {
        return slice.elements == 0 || s.missing[static_cast<std::size_t>(slice.layer)] > 0;
      });
}

bool EachRank::start_part(Rank r) {
  RankState& s = of(r);
  while (s.part < s.parts.size()) {
    const Transmission& t = s.parts[s.part];
    if (t.codec && !s.coded) {
      s.coded = true;
      spend(r, Thread::exchange, *t.codec);
      return true;
    }
    s.coded = false;
    ++s.part;
    const Algorithm& algorithm = algorithm_of(plan_, t.carrier);
    const std::vector<Lane> lanes =
        lanes_of(algorithm, plan_.problem(t.collective, t.elements), plan_.segments_of(t.carrier));
    s.lanes.clear();
    s.turns.clear();
    for (const Lane& lane : lanes) {
      s.lanes.emplace_back(algorithm, lane, r);
      s.turns.push_back(lane.turn);
    }
    constexpr std::int64_t kAtOnce = 64;  // collectives that ranks may be apart
    s.first_lane = static_cast<std::int32_t>(s.collectives++ % kAtOnce * kLanes);
    element_size_of_[static_cast<std::size_t>(r)] = t.element_size;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) start_round(r, lane);
    if (s.running > 0) return true;
  }
  return false;
}

void EachRank::start_round(Rank r, std::size_t lane) {
  RankState& s = of(r);
  collectives::LaneRounds& rounds = s.lanes[lane];
  if (!rounds.next()) return;
  posted_.clear();
  const Bytes size = element_size_of_[static_cast<std::size_t>(r)];
  for (const collectives::ElementAction& a : rounds.round()) {
    posted_.push_back({a.kind, a.peer, plan_.carried(a.elements * size)});
    if (a.kind == ActionKind::send && s.part > s.announcements)
      result_.sent += static_cast<double>(a.elements * size);
  }
  ++s.running;
  simulation_.start(r, s.first_lane + static_cast<std::int32_t>(lane), posted_, now_,
                    {.turn = s.turns[lane].in_call(s.first_lane)});
}

void EachRank::round_ended(Rank r, std::int32_t lane) {
  RankState& s = of(r);
  --s.running;
  start_round(r, static_cast<std::size_t>(lane - s.first_lane));
  if (s.running == 0) due_.push_back({r, Thread::exchange});
}

void EachRank::finish(Rank r) {
  RankState& s = of(r);
  const ExchangeTask task = std::move(*s.task);
  s.task.reset();
  const Exchanged its{now_ - s.begun_at, s.codec};
  if (s.finished == exchanged_.size()) {
    exchanged_.push_back(its);
    result_.add(std::span(s.parts).subspan(s.announcements), 1);
  } else if (Exchanged& least = exchanged_[s.finished]; its.took < least.took) {
    least = its;
  }
  ++s.finished;
  if (r == 0 && s.announcements > 0) {
    result_.communication += picoseconds(s.begun_at - s.chosen_at);
    result_.add_startup(std::span(s.parts).first(s.announcements), 1);
  }
  if (trace_)
    span(StepSpan::Kind::communicate, r, plan_.layers[first_layer(task.bundle)].name, s.step,
         task.bundle.bytes(), s.begun_at, now_);
  if (task.scheduled) settle(s, task.bundle);
  if (!task.scheduled) ++s.jobs_done;
  if (!task.scheduled || !led_) s.queue.pop_front();
  notify(r);
}

}  // namespace arlab::training
