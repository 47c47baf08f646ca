// Event-driven simulation of all ranks. Both threads of a rank run until they wait; threads that became
// due run in that order, then alarms precede network events of the same time, as among emulated ranks.
#include <algorithm>
#include <queue>

#include "algorithms/base/error.hpp"
#include "simulator/engine/interactive_simulation.hpp"
#include "training/emulation/slow_ranks.hpp"
#include "training/simulation/rank_state.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {
namespace {

enum class Thread : std::uint8_t { compute, exchange };

class EachRank {
 public:
  EachRank(const TrainingPlan& plan, simulator::Network& network, bool trace)
      : plan_(plan),
        simulation_(network, plan.ranks),
        scheduled_(plan.strategy->schedules),
        barrier_(plan.scheduler->barrier),
        led_(!plan.scheduler->same_everywhere),
        trace_(trace) {
    for (Rank r = 0; r < plan.ranks; ++r) ranks_.emplace_back(plan, r);
  }

  void use_scheduler(const LinkCost& link) {
    if (!scheduled_) return;
    for (Rank r = 0; r < plan_.ranks; ++r)
      if (r == 0 || !led_)
        of(r).scheduler = make_scheduler(*plan_.scheduler, plan_.layers, link, plan_.scheduling);
  }

  SimulatedSteps run() {
    for (Rank r = 0; r < plan_.ranks; ++r) due_.push_back({r, Thread::compute});
    while (true) {
      while (!due_.empty()) {
        const Due next = due_.front();
        due_.pop_front();
        if (next.thread == Thread::compute)
          compute(next.rank);
        else
          exchange(next.rank);
      }
      if (!advance()) break;
    }
    for (const RankState& s : ranks_)
      expects(s.at == RankState::At::ended, "the simulated ranks wait for one another");
    const double steps = plan_.steps;
    result_.exposed /= steps;
    result_.communication /= steps;
    result_.codec /= steps;
    result_.collectives /= steps;
    result_.sent /= steps * plan_.ranks;
    result_.each_rank = true;
    return std::move(result_);
  }

 private:
  struct Due {
    Rank rank;
    Thread thread;
  };
  struct Alarm {
    Time time;
    std::uint64_t number;
    Rank rank;
    Thread thread;
    std::uint32_t idles;  // 0: of a computation
    bool operator>(const Alarm& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };

  RankState& of(Rank r) { return ranks_[static_cast<std::size_t>(r)]; }
  const Layer& layer(std::size_t l) const { return plan_.layers[l]; }

  bool advance() {
    const Time alarm = alarms_.empty() ? simulator::kNever : alarms_.top().time;
    if (const auto step =
            simulation_.step(alarm == simulator::kNever ? alarm : alarm - Time{1})) {
      now_ = step->now;
      if (step->ended) round_ended(step->ended->rank, step->ended->lane);
      return true;
    }
    if (alarm == simulator::kNever) return false;
    const Alarm rings = alarms_.top();
    alarms_.pop();
    now_ = rings.time;
    if (rings.idles == 0 || (of(rings.rank).idle && of(rings.rank).idles == rings.idles)) {
      if (rings.idles != 0) of(rings.rank).idle = false;
      due_.push_back({rings.rank, rings.thread});
    }
    return true;
  }

  void ring_at(Time time, Rank r, Thread thread, std::uint32_t idles) {
    alarms_.push({in_calendar(time), ++alarms_set_, r, thread, idles});
  }

  void spend(Rank r, Thread thread, Time duration) {
    RankState& s = of(r);
    const double chance = static_cast<double>(s.random(s.draws++) >> 11) * 0x1p-53;
    const double factor = plan_.slowdown_of(r) * (1 + plan_.jitter * chance);
    const Time took = factor == 1 ? duration : to_time(picoseconds(duration) * factor);
    if (trace_ && thread == Thread::compute)
      span(StepSpan::Kind::compute, r, s.at == RankState::At::need ? "forward" : "backward", s.step,
           0, now_, now_ + took);
    if (thread == Thread::exchange && r == 0) result_.codec += picoseconds(took);
    ring_at(now_ + took, r, thread, 0);
  }

  // Wakes what waits for a change of the exchange.
  void notify(Rank r) {
    RankState& s = of(r);
    if (s.idle) {
      s.idle = false;
      due_.push_back({r, Thread::exchange});
    }
    if (s.waits) {
      s.waits = false;
      if (r == 0) result_.exposed += picoseconds(now_ - s.waits_since);
      due_.push_back({r, Thread::compute});
    }
  }

  void wait(RankState& s) {
    s.waits = true;
    s.waits_since = now_;
  }

  // Runs the computing thread until it waits.
  void compute(Rank r) {
    RankState& s = of(r);
    const std::size_t last = plan_.layers.size() - 1;
    while (true) switch (s.at) {
        case RankState::At::need: {
          if (s.layer == 0 && !s.begun) {
            s.begun = true;
            if (r == 0) result_.begins.push_back(now_);
            if (s.step == plan_.steps) {
              s.at = RankState::At::ended;
              return;
            }
          }
          if (s.pending[s.layer] && s.missing[s.layer] > 0) return wait(s);
          s.pending[s.layer] = false;
          const std::size_t l = s.layer;
          spend(r, Thread::compute, layer(l).forward + (l == last ? layer(l).backward : Time{}));
          if (l == last)
            s.at = RankState::At::ready;
          else
            ++s.layer;
          return;
        }
        case RankState::At::ready: {
          const std::size_t l = s.layer;
          if (scheduled_ && plan_.ranks > 1) announce(r, static_cast<int>(l));
          if (l == 0) {
            s.at = RankState::At::finish;
            s.jobs_left = add_jobs(r);
            break;
          }
          --s.layer;
          spend(r, Thread::compute, layer(s.layer).backward);
          return;
        }
        case RankState::At::finish:
          if (s.jobs_left > 0 || (scheduled_ && barrier_ && s.open > 0)) return wait(s);
          if (scheduled_ && !barrier_) s.pending.assign(s.pending.size(), true);
          ++s.step;
          s.begun = false;
          s.at = RankState::At::need;
          break;
        case RankState::At::ended:
          return;
      }
  }

  // A gradient is complete.
  void announce(Rank r, int l) {
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

  std::optional<Bundle> next_bundle(RankState& s) {
    while (std::optional<Bundle> bundle = s.scheduler->next(now_)) {
      if (bundle->elements() > 0) return bundle;
      settle(s, *bundle);
    }
    return {};
  }

  void settle(RankState& s, const Bundle& bundle) {
    if (bundle.collective != Collective::reduce_scatter)
      for (const Slice& slice : bundle.slices) {
        Count& missing = s.missing[static_cast<std::size_t>(slice.layer)];
        if (slice.elements == 0) continue;
        missing -= slice.elements;
        if (missing == 0) --s.open;
      }
    if (s.scheduler) s.scheduler->done(bundle, now_);
  }

  // The collectives of a strategy after the backward pass. Returns their number.
  std::size_t add_jobs(Rank r) {
    RankState& s = of(r);
    if (scheduled_ || plan_.ranks == 1) return 0;
    const auto whole = [&](Collective collective) {
      Bundle bundle{collective, {}};
      for (std::size_t l = 0; l < plan_.layers.size(); ++l)
        bundle.slices.push_back({static_cast<int>(l), 0, layer(l).elements});
      s.queue.push_back({std::move(bundle), false});
    };
    if (plan_.strategy->name == "central_storage") {
      whole(Collective::reduce);
      whole(Collective::broadcast);
    } else if (plan_.strategy->name == "local_sgd" && (s.step + 1) % plan_.every == 0) {
      whole(Collective::allreduce);
    }
    const std::size_t jobs = s.queue.size();
    if (jobs > 0) notify(r);
    return jobs;
  }

  // Runs the exchanging thread until it waits.
  void exchange(Rank r) {
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
        const std::vector<Transmission> its =
            s.task->scheduled ? transmissions_of(plan_, bundle)
                              : std::vector<Transmission>{{Time{}, bundle.collective,
                                                           bundle.elements(), kGradientBytes}};
        s.parts.insert(s.parts.end(), its.begin(), its.end());
        s.begun_at = now_;
      }
    }
  }

  // The leader's announcement is there; a long one has a second part.
  void hear(RankState& s) {
    s.listening = false;
    s.task = ExchangeTask{decided_[s.announced++], true};
    s.parts = announcements_of(plan_, s.task->bundle);
    s.announcements = s.parts.size();
  }

  void idle(RankState& s) {
    s.idle = true;
    ++s.idles;
  }

  // Chooses the next task. Returns false if there is none.
  bool choose(Rank r) {
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

  /// Returns whether the task's gradients are ready on this rank.
  bool can_run(const RankState& s) const {
    if (!s.task || !s.task->scheduled) return true;
    return std::all_of(s.task->bundle.slices.begin(), s.task->bundle.slices.end(),
                       [&](const Slice& slice) {
                         return slice.elements == 0 ||
                                s.missing[static_cast<std::size_t>(slice.layer)] > 0;
                       });
  }

  // Starts the next part. Returns false if there is none.
  bool start_part(Rank r) {
    RankState& s = of(r);
    while (s.part < s.parts.size()) {
      const Transmission& t = s.parts[s.part];
      const bool announces = s.part < s.announcements;
      if (plan_.compression && !announces && s.task->scheduled && !s.coded) {
        s.coded = true;
        spend(r, Thread::exchange, t.codec);
        return true;
      }
      s.coded = false;
      ++s.part;
      const Algorithm& algorithm = announces ? find_algorithm("tree") : *plan_.algorithm;
      const Problem problem = announces ? Problem{.collective = t.collective,
                                                  .ranks = plan_.ranks,
                                                  .elements = t.elements}
                                        : plan_.problem(t.collective, t.elements);
      const std::vector<Lane> lanes = lanes_of(algorithm, problem, announces ? 1 : plan_.segments);
      s.lanes.clear();
      for (const Lane& lane : lanes) s.lanes.emplace_back(algorithm, lane, r);
      constexpr std::int64_t kAtOnce = 64;  // collectives that ranks may be apart
      s.first_lane = static_cast<std::int32_t>(s.collectives++ % kAtOnce * kLanes);
      element_size_of_[static_cast<std::size_t>(r)] = t.element_size;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) start_round(r, lane);
      if (s.running > 0) return true;
    }
    return false;
  }

  void start_round(Rank r, std::size_t lane) {
    RankState& s = of(r);
    collectives::LaneRounds& rounds = s.lanes[lane];
    if (!rounds.next()) return;
    posted_.clear();
    const Bytes size = element_size_of_[static_cast<std::size_t>(r)];
    for (const collectives::ElementAction& a : rounds.round()) {
      posted_.push_back({a.kind, a.peer, a.elements * size});
      if (a.kind == ActionKind::send) result_.sent += static_cast<double>(a.elements * size);
    }
    ++s.running;
    simulation_.start(r, s.first_lane + static_cast<std::int32_t>(lane), posted_, now_);
  }

  void round_ended(Rank r, std::int32_t lane) {
    RankState& s = of(r);
    --s.running;
    start_round(r, static_cast<std::size_t>(lane - s.first_lane));
    if (s.running == 0) due_.push_back({r, Thread::exchange});
  }

  void finish(Rank r) {
    RankState& s = of(r);
    const ExchangeTask task = std::move(*s.task);
    s.task.reset();
    if (r == 0) {
      result_.communication += picoseconds(now_ - s.begun_at);
      ++result_.collectives;
    }
    if (trace_)
      span(StepSpan::Kind::communicate, r, plan_.layers[first_layer(task.bundle)].name, s.step,
           task.bundle.bytes(), s.begun_at, now_);
    if (task.scheduled) settle(s, task.bundle);
    if (!task.scheduled) --s.jobs_left;
    if (!task.scheduled || !led_) s.queue.pop_front();
    notify(r);
  }

  static std::size_t first_layer(const Bundle& bundle) {
    return static_cast<std::size_t>(bundle.slices.front().layer);
  }

  void span(StepSpan::Kind kind, Rank r, std::string name, int step, Bytes bytes, Time begin,
            Time end) {
    result_.spans.push_back({kind, r, std::move(name), step, bytes,
                             picoseconds(begin) / kPicosecondsPerSecond,
                             picoseconds(end) / kPicosecondsPerSecond});
  }

  static constexpr std::int64_t kLanes = 4096;  // of a collective

  const TrainingPlan& plan_;
  simulator::InteractiveSimulation simulation_;
  const bool scheduled_, barrier_, led_, trace_;
  std::deque<RankState> ranks_;
  std::vector<Bytes> element_size_of_ = std::vector<Bytes>(static_cast<std::size_t>(plan_.ranks));
  std::deque<Due> due_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  std::uint64_t alarms_set_ = 0;
  std::vector<Bundle> decided_;  // by the leader
  std::vector<simulator::PostedAction> posted_;
  Time now_{};
  SimulatedSteps result_;
};

}  // namespace

double SimulatedSteps::period() const {
  const std::size_t last = begins.size() - 1, half = last / 2;
  return picoseconds(begins[last] - begins[half]) / static_cast<double>(last - half);
}

SimulatedSteps simulate_each_rank(const TrainingPlan& plan, simulator::Network& network,
                                  const LinkCost& link, bool trace) {
  check(plan);
  std::vector<double> slowdown = plan.slowdown;
  if (!slowdown.empty()) slowdown.resize(static_cast<std::size_t>(plan.ranks), 1.0);
  SlowRanks slow(network, std::move(slowdown));
  EachRank ranks(plan, slow, trace);
  ranks.use_scheduler(link);
  return ranks.run();
}

}  // namespace arlab::training
