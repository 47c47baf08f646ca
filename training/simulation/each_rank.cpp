#include "training/simulation/each_rank.hpp"

#include "algorithms/base/error.hpp"
#include "training/emulation/slow_ranks.hpp"

namespace arlab::training {

void EachRank::use_scheduler(const LinkCost& link) {
  if (!scheduled_) return;
  for (Rank r = 0; r < plan_.ranks; ++r)
    if (r == 0 || !led_)
      of(r).scheduler = make_scheduler(*plan_.scheduler, plan_.layers, link, plan_.scheduling);
}

SimulatedSteps EachRank::run() {
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
  for (const Exchanged& one : exchanged_) {
    result_.communication += picoseconds(one.took);
    result_.codec += picoseconds(one.codec);
  }
  const double steps = plan_.steps;
  result_.exposed /= steps;
  result_.communication /= steps;
  result_.codec /= steps;
  result_.divide_collectives(steps);
  result_.sent /= steps * plan_.ranks;
  result_.each_rank = true;
  return std::move(result_);
}

bool EachRank::advance() {
  const Time alarm = alarms_.empty() ? simulator::kNever : alarms_.top().time;
  if (const auto step = simulation_.step(alarm == simulator::kNever ? alarm : alarm - Time{1})) {
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

void EachRank::spend(Rank r, Thread thread, Time duration) {
  RankState& s = of(r);
  const double chance = static_cast<double>(s.random(s.draws++) >> 11) * 0x1p-53;
  const double factor = plan_.slowdown_of(r) * (1 + plan_.jitter * chance);
  const Time took = factor == 1 ? duration : to_time(picoseconds(duration) * factor);
  if (trace_ && thread == Thread::compute)
    span(StepSpan::Kind::compute, r, s.at == RankState::At::need ? "forward" : "backward", s.step,
         0, now_, now_ + took);
  if (thread == Thread::exchange) s.codec += took;
  ring_at(now_ + took, r, thread, 0);
}

void EachRank::notify(Rank r) {
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

void EachRank::compute(Rank r) {
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
          break;
        }
        --s.layer;
        spend(r, Thread::compute, layer(s.layer).backward);
        return;
      }
      case RankState::At::finish:
        if (s.jobs_done < jobs_due(s)) return wait(s);
        if (static_cast<int>(s.jobs_by.size()) == s.step) {
          add_jobs(r);
          s.jobs_by.push_back(s.jobs);
          break;
        }
        if (scheduled_ && barrier_ && s.open > 0) return wait(s);
        if (scheduled_ && !barrier_) s.pending.assign(s.pending.size(), true);
        ++s.step;
        s.begun = false;
        s.at = RankState::At::need;
        break;
      case RankState::At::ended:
        return;
    }
}

double SimulatedSteps::period() const {
  const std::size_t last = begins.size() - 1, half = last / 2;
  return picoseconds(begins[last] - begins[half]) / static_cast<double>(last - half);
}

SimulatedSteps simulate_each_rank(const TrainingPlan& plan, simulator::Network& network,
                                  const LinkCost& link, bool trace) {
  check(plan);
  expects(!plan.strategy->simulate, "a strategy that simulates itself needs simulate_training()");
  std::vector<double> slowdown = plan.slowdown;
  if (!slowdown.empty()) slowdown.resize(static_cast<std::size_t>(plan.ranks), 1.0);
  SlowRanks slow(network, std::move(slowdown));
  EachRank ranks(plan, slow, trace);
  ranks.use_scheduler(link);
  return ranks.run();
}

}  // namespace arlab::training
