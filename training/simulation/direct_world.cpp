#include "training/simulation/direct_world.hpp"

#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {

DirectWorld::DirectWorld(const TrainingPlan& plan, simulator::Network& network, bool trace)
    : plan_(plan),
      trace_(trace),
      simulation_(network, plan.ranks),
      ranks_(static_cast<std::size_t>(plan.ranks)) {}

SimulatedSteps DirectWorld::run(Strategy strategy) {
  strategy_ = std::move(strategy);
  copy_weights();
  const auto proceed = [&] { expects(advance(), "the simulated ranks wait for one another"); };
  while (!over_) proceed();
  result_.collectives = 1;
  result_.each_rank = true;
  SimulatedSteps result = std::move(result_);
  while (counted_ < plan_.workers()) proceed();  // which changes the moved result only
  const int counted = plan_.steps - plan_.steps / 2;
  result.exposed = of(0).exchange / counted;
  result.communication = of(plan_.slowest_worker()).exchange / counted;
  if (plan_.strategy->synchronous) return result;
  result.pace = pace();
  if (plan_.strategy->has_servers) result.exposed = result.communication = mean_exchange();
  return result;
}

double DirectWorld::mean_exchange() const {
  double steps = 0, all = 0;  // per time
  for (Rank worker = 0; worker < plan_.workers(); ++worker) {
    const RankState& s = of(worker);
    const double took = picoseconds(s.last - s.half);
    steps += (plan_.steps - plan_.steps / 2) / took;
    all += s.exchange / took;
  }
  return all / steps;
}

double DirectWorld::pace() const {
  const auto took = [&](Rank worker) { return picoseconds(of(worker).last - of(worker).half); };
  double steps = 0;
  for (Rank worker = 0; worker < plan_.workers(); ++worker) steps += took(0) / took(worker);
  return steps / plan_.workers();
}

void DirectWorld::copy_weights() {
  Problem problem{.collective = Collective::broadcast, .ranks = plan_.ranks};
  for (const Layer& l : plan_.layers) problem.elements += l.elements;
  const Algorithm& tree = find_algorithm("tree");
  const std::vector<Lane> lanes = lanes_of(tree, problem, 1);
  for (Rank r = 0; r < plan_.ranks; ++r) {
    if (plan_.ranks > 1)
      for (const Lane& lane : lanes) of(r).copying.emplace_back(tree, lane, r);
    for (std::size_t lane = 0; lane < of(r).copying.size(); ++lane)
      start_copy_round(r, static_cast<std::int32_t>(lane));
    if (of(r).lanes == 0) strategy_.copied(r);
  }
}

void DirectWorld::start_copy_round(Rank r, std::int32_t lane) {
  RankState& s = of(r);
  collectives::LaneRounds& rounds = s.copying[static_cast<std::size_t>(lane)];
  if (!rounds.next()) return;
  posted_.clear();
  for (const collectives::ElementAction& a : rounds.round())
    posted_.push_back({a.kind, a.peer, a.elements * kGradientBytes});
  ++s.lanes;
  post(r, kCopies + lane, posted_);
}

bool DirectWorld::advance() {
  const Time alarm = alarms_.empty() ? simulator::kNever : alarms_.next_time();
  if (const auto step = simulation_.step(alarm == simulator::kNever ? alarm : alarm - Time{1})) {
    now_ = step->now;
    if (!step->ended) return true;
    const Rank rank = step->ended->rank;
    const std::int32_t lane = step->ended->lane;
    if (lane < kCopies) {
      strategy_.ended(rank, lane);
      return true;
    }
    --of(rank).lanes;
    start_copy_round(rank, lane - kCopies);
    if (of(rank).lanes > 0) return true;
    of(rank).copying.clear();
    strategy_.copied(rank);
    return true;
  }
  if (alarm == simulator::kNever) return false;
  const Alarm rings = alarms_.pop();
  now_ = rings.time;
  switch (rings.rings) {
    case Rings::late_start:
      start_forward(rings.rank);
      break;
    case Rings::pass:
      pass_ended(rings.rank);
      break;
    case Rings::code:
      strategy_.coded(rings.rank);
      break;
  }
  return true;
}

void DirectWorld::begin_step(Rank worker, Time computes_from) {
  RankState& s = of(worker);
  if (++s.step == steps()) return;
  if (s.step == plan_.steps / 2) s.half = now_;  // as SimulatedSteps::period()
  if (s.step == plan_.steps) {
    s.last = now_;
    ++counted_;
  }
  if (worker == 0) {
    result_.begins.push_back(now_);
    over_ = s.step == plan_.steps;
  }
  if (computes_from == now_) return start_forward(worker);
  alarms_.push({in_calendar(computes_from), worker, Rings::late_start});
}

void DirectWorld::start_forward(Rank r) {
  of(r).layer = 0;
  of(r).backward = false;
  const Layer& first = plan_.layers.front();
  compute(r, first.forward + (plan_.layers.size() == 1 ? first.backward : Time{}));
}

// The backward pass of the last layer follows its forward pass at once.
void DirectWorld::pass_ended(Rank r) {
  RankState& s = of(r);
  const std::size_t last = plan_.layers.size() - 1;
  s.backward = s.backward || s.layer == last;
  if (!s.backward) {
    const Layer& next = plan_.layers[++s.layer];
    return compute(r, next.forward + (s.layer == last ? next.backward : Time{}));
  }
  if (s.layer == 0) return strategy_.computed(r);
  compute(r, plan_.layers[--s.layer].backward);
}

// As EmulatedClock does.
Time DirectWorld::slowed(Rank r, Time duration) {
  const Random random = Random(plan_.seed).of(static_cast<std::uint64_t>(r));
  const double chance = static_cast<double>(random(of(r).draws++) >> 11) * 0x1p-53;
  const double factor = plan_.slowdown_of(r) * (1 + plan_.jitter * chance);
  return factor == 1 ? duration : to_time(picoseconds(duration) * factor);
}

void DirectWorld::compute(Rank r, Time duration) {
  const Time end = in_calendar(now_ + slowed(r, duration));
  if (trace_)
    result_.spans.push_back({StepSpan::Kind::compute, r, of(r).backward ? "backward" : "forward",
                             of(r).step, 0, picoseconds(now_) / kPicosecondsPerSecond,
                             picoseconds(end) / kPicosecondsPerSecond});
  alarms_.push({end, r, Rings::pass});
}

Time DirectWorld::code(Rank rank, Time duration) {
  const Time took = slowed(rank, duration);
  alarms_.push({in_calendar(now_ + took), rank, Rings::code});
  return took;
}

void DirectWorld::exchanged(Rank worker, Time begin, const char* name, Bytes bytes) {
  RankState& s = of(worker);
  if (s.step >= plan_.steps / 2 && s.step < plan_.steps)  // as SimulatedSteps::period()
    s.exchange += picoseconds(now_ - begin);
  if (trace_)
    result_.spans.push_back({StepSpan::Kind::communicate, worker, name, of(worker).step, bytes,
                             picoseconds(begin) / kPicosecondsPerSecond,
                             picoseconds(now_) / kPicosecondsPerSecond});
}

}  // namespace arlab::training
