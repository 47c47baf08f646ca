#include "training/simulation/simulate_training.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "training/schedulers/timeline.hpp"
#include "training/simulation/collective_times.hpp"

namespace arlab::training {
namespace {

// The mean over the steps of workers of which none waits for another: a fast one has more of them.
double mean_slowdown(const TrainingPlan& plan) {
  double rate = 0;
  for (Rank r = 0; r < plan.workers(); ++r) rate += 1 / plan.slowdown_of(r);
  return plan.workers() / rate * (1 + plan.jitter / 2);
}

// Returns the passes of a step that are drawn by themselves: the last layer's two are one.
std::vector<double> passes_of(const Profile& layers) {
  std::vector<double> passes;
  for (const Layer& l : layers) {
    passes.push_back(picoseconds(l.forward));
    passes.push_back(picoseconds(l.backward));
  }
  const double last = passes.back();
  passes.pop_back();
  passes.back() += last;
  return passes;
}

// The number of steps after which workers wait for each other.
double steps_apart(const TrainingPlan& plan) {
  if (!plan.strategy->periodic) return 1;
  const Count apart = plan.parameter("every") / std::max<Count>(1, plan.parameter("fragments", 1));
  return static_cast<double>(std::max<Count>(1, apart));
}

// Returns how much longer the slowest worker computes than one without slowdown and jitter, from
// one time that all wait to the next, mean over a few of them. Workers of asynchronous servers wait
// for none.
double slowest(const TrainingPlan& plan) {
  constexpr int kWaits = 16;
  constexpr double kMostDraws = 1 << 22;
  if (!plan.strategy->synchronous && plan.strategy->has_servers) return mean_slowdown(plan);
  if (plan.jitter == 0) return plan.slowdown_of(plan.slowest_worker());
  const std::vector<double> passes = passes_of(plan.layers);
  const double one = std::accumulate(passes.begin(), passes.end(), 0.0), mean = 1 + plan.jitter / 2;
  // Of many steps, some are drawn: the mean of n times as many deviates by the root of n less.
  const double apart = steps_apart(plan),
               step_draws = kWaits * plan.workers() * static_cast<double>(passes.size());
  const double drawn = std::floor(std::clamp(kMostDraws / step_draws, 1.0, apart));
  const double deviates = std::sqrt(drawn / apart);
  double sum = 0;
  for (int wait = 0; wait < kWaits; ++wait) {
    double most = 0;
    for (Rank r = 0; r < plan.workers(); ++r) {
      const Random random = Random(plan.seed).of(static_cast<std::uint64_t>(r));
      const auto draws = static_cast<std::uint64_t>(drawn) * passes.size();
      const std::uint64_t first = static_cast<std::uint64_t>(wait) * draws;
      double took = 0;
      for (std::uint64_t draw = 0; draw < draws; ++draw)
        took += passes[draw % passes.size()] *
                (1 + plan.jitter * static_cast<double>(random(first + draw) >> 11) * 0x1p-53);
      const double its = mean + (took / (one * drawn) - mean) * deviates;
      most = std::max(most, its * plan.slowdown_of(r));
    }
    sum += most;
  }
  return sum / kWaits;
}

// The slowest worker's coding, which all wait for.
Time slowed(double factor, Time coding) { return to_time(picoseconds(coding) * factor); }

Time total_of(const Profile& layers) {
  Time all{};
  for (const Layer& l : layers) all += l.forward + l.backward;
  return all;
}

// A strategy that communicates after the backward pass.
SimulatedSteps in_sequence(const TrainingPlan& plan, CollectiveTimes& times) {
  SimulatedSteps result;
  Count elements = 0;
  for (const Layer& l : plan.layers) elements += l.elements;
  std::vector<Transmission> parts;
  if (plan.ranks > 1)
    for (const Collective c : plan.strategy->collectives)
      parts.push_back({.collective = c, .elements = elements});
  result.communication = result.exposed = picoseconds(times.of(parts));
  result.add(parts, 1);
  result.sent = times.sent(parts);
  const Time step = total_of(slowed(plan)) + to_time(result.communication);
  for (int s = 0; s <= plan.steps; ++s) result.begins.push_back(step * s);
  return result;
}

// A strategy that communicates every few steps, one fragment after another. Every step takes the
// mean of an interval, of which the second one is counted.
SimulatedSteps periodic(const TrainingPlan& plan, CollectiveTimes& times) {
  SimulatedSteps result;
  const Time computation = total_of(slowed(plan));
  const double factor = slowest(plan);
  const Count interval = plan.parameter("every"), delay = plan.parameter("delay");
  const auto every = static_cast<double>(interval);
  Time now{}, free{}, begin{};
  std::deque<std::pair<Count, Time>> in_progress;  // the step that waits for an exchange, its end
  for (Count step = 1; step <= 2 * interval && plan.ranks > 1; ++step) {
    now += computation;
    const auto wait = [&] {
      for (; !in_progress.empty() && in_progress.front().first <= step; in_progress.pop_front())
        now = std::max(now, in_progress.front().second);
    };
    wait();
    for (const Bundle& bundle : outer_bundles(plan, step)) {
      const std::vector<Transmission> all = transmissions_of(plan, bundle);
      const Time coding = slowed(factor, coding_of(all)), took = times.of(all) + coding;
      free = std::max(now, free) + took;
      in_progress.push_back({step + delay, free});
      if (step <= interval) continue;
      result.communication += picoseconds(took) / every;
      result.codec += picoseconds(coding) / every;
      result.add(all, 1 / every);
      result.sent += times.sent(all) / every;
    }
    wait();
    if (step == interval) begin = now;
  }
  const double step = plan.ranks > 1 ? picoseconds(now - begin) / every : picoseconds(computation);
  result.exposed = step - picoseconds(computation);
  for (int s = 0; s <= plan.steps; ++s) result.begins.push_back(to_time(step * s));
  return result;
}

std::vector<StepSpan> spans_of(const Timeline& timeline, const Profile& layers) {
  std::vector<StepSpan> spans;
  const auto at = [](Time t) { return picoseconds(t) / kPicosecondsPerSecond; };
  for (const Work& w : timeline.works) {
    const bool message = w.kind == Work::Kind::message;
    const std::string& name = layers[static_cast<std::size_t>(w.layer)].name;
    const char* pass = w.kind == Work::Kind::forward ? "forward" : "backward";
    spans.push_back({message ? StepSpan::Kind::communicate : StepSpan::Kind::compute, 0,
                     message ? name : pass, w.step, w.bytes, at(w.begin), at(w.end)});
  }
  return spans;
}

SimulatedSteps one_for_all(const TrainingPlan& plan, CollectiveTimes& times, bool trace) {
  if (plan.strategy->periodic) return periodic(plan, times);
  if (!plan.strategy->schedules || plan.ranks == 1) return in_sequence(plan, times);
  SimulatedSteps result;
  double sent = 0, codec = 0, busy = 0;
  const double factor = slowest(plan);
  const Profile layers = slowed(plan);
  Study study{.profile = layers,
              .link = times.link(),
              .kind = plan.scheduler,
              .values = plan.scheduling,
              .steps = plan.steps};
  study.link.latency = Time{};
  study.holds = [&](const Bundle& bundle) {
    const std::vector<Transmission> parts = transmissions_of(plan, bundle);
    const std::vector<Transmission> announced = announcements_of(plan, bundle);
    const Time coding = slowed(factor, coding_of(parts));
    const Time took = times.of(announced) + times.of(parts) + coding;
    result.add(parts, 1);
    result.add_startup(announced, 1);
    sent += times.sent(parts);
    codec += picoseconds(coding);
    busy += picoseconds(took);
    return took;
  };
  const Timeline timeline = simulate(study);
  const double steps = plan.steps;
  result.exposed = std::max(0.0, timeline.exposed());
  result.communication = busy / steps;
  result.codec = codec / steps;
  result.divide_collectives(steps);
  result.sent = sent / steps;
  // The end of the last step is not an event of the timeline: one more period.
  for (const Work& w : timeline.works)
    if (w.kind == Work::Kind::forward && static_cast<int>(result.begins.size()) == w.step)
      result.begins.push_back(w.begin);
  result.begins.push_back(result.begins.back() + to_time(timeline.period));
  if (trace) result.spans = spans_of(timeline, layers);
  return result;
}

// An upper bound on the messages of a step.
double messages_of(const TrainingPlan& plan) {
  const bool again = plan.compression && plan.compression->aggregation == Aggregation::requantize;
  const Count to_owners = again ? Count{plan.ranks} * (plan.ranks - 1) : 0;
  double messages = 0;
  for (const Layer& l : plan.layers) {
    if (l.elements == 0) continue;
    const Problem problem = plan.problem(Collective::allreduce, l.elements);
    const Cost cost = predicted_cost(*plan.algorithm, problem, plan.segments);
    messages += static_cast<double>(cost.messages + to_owners);
  }
  return messages;
}

}  // namespace

Profile slowed(const TrainingPlan& plan) {
  Profile layers = plan.layers;
  const double factor = slowest(plan);
  for (Layer& l : layers) {
    l.forward = to_time(picoseconds(l.forward) * factor);
    l.backward = to_time(picoseconds(l.backward) * factor);
  }
  return layers;
}

double computation_of(const TrainingPlan& plan) { return picoseconds(total_of(slowed(plan))); }

SimulatedSteps simulate_training(const TrainingPlan& plan, const MakeNetwork& network, Ranks ranks,
                                 bool trace) {
  check(plan);
  if (plan.steps < 4)
    fail(Blame::usage, std::to_string(plan.steps) + " steps are too few: use at least 4");
  if (plan.strategy->simulate) return plan.strategy->simulate(plan, network, trace);
  CollectiveTimes times(plan, network);
  if (ranks == Ranks::automatic)
    ranks = plan.ranks <= kMostSingleRanks && !plan.strategy->alone && !plan.strategy->periodic &&
                    messages_of(plan) * plan.steps <= static_cast<double>(kMostMessages)
                ? Ranks::each
                : Ranks::one_for_all;
  SimulatedSteps result = ranks == Ranks::each
                              ? simulate_each_rank(plan, *network(), times.link(), trace)
                              : one_for_all(plan, times, trace);
  for (const auto& [kind, number] : result.kinds)
    result.startup += number * picoseconds(times.startup(kind.first, kind.second));
  return result;
}

}  // namespace arlab::training
