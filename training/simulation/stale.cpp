// Strategy stale_synchronous, without threads: the messages of catalog/stale_synchronous.cpp.
#include <algorithm>
#include <deque>
#include <string>

#include "algorithms/base/error.hpp"
#include "training/simulation/direct.hpp"

namespace arlab::training {
namespace {

// Returns how many gradients of a worker can be in progress at once.
int slots_of(const TrainingPlan& plan) {
  const Count steps = plan.steps + 1, bound = plan.parameter("staleness");
  return static_cast<int>(bound < steps ? std::min(2 * bound + 2, steps) : steps);
}

class StaleWorkers {
 public:
  StaleWorkers(const TrainingPlan& plan, DirectWorld& world)
      : plan_(plan), world_(world), slots_(slots_of(plan)) {
    for (const Layer& l : plan.layers) bytes_ += l.bytes();
    const auto workers = static_cast<std::size_t>(plan.ranks);
    for (std::size_t r = 0; r < workers; ++r)
      workers_.push_back({.clock_of = std::vector<int>(workers),
                          .at = std::vector<Rank>(static_cast<std::size_t>(world.steps()) + 1),
                          .sends = std::vector<bool>(static_cast<std::size_t>(slots_))});
    for (Worker& w : workers_) w.at[0] = plan.ranks;
  }

  SimulatedSteps run() {
    SimulatedSteps result = world_.run({
        .copied =
            [this](Rank r) {
              for (Rank peer = 0; peer < plan_.ranks; ++peer)
                if (peer != r) expect_from(r, peer);
              world_.begin_step(r);
            },
        .computed =
            [this](Rank r) {
              of(r).begin = world_.now();
              of(r).stage = Stage::send;
              proceed(r);
            },
        .coded = {},
        .ended =
            [this](Rank r, std::int32_t lane) {
              of(r).done.push_back(lane);
              if (of(r).stage != Stage::compute) proceed(r);
            },
    });
    result.sent = static_cast<double>(bytes_) * (plan_.ranks - 1);
    return result;
  }

 private:
  // compute: nothing is taken; send: waits for a buffer; wait: for slower workers; settle: has no
  // step left.
  enum class Stage : std::uint8_t { compute, send, wait, settle };

  struct Worker {
    Stage stage = Stage::compute;
    Time begin{};               // of the exchange
    int clock = 0;              // own gradients
    std::vector<int> clock_of;  // by worker: gradients received
    std::vector<Rank> at;       // by clock: the number of workers there
    int slowest = 0;
    std::vector<bool> sends;          // by slot: in progress
    std::deque<std::int32_t> done{};  // lanes, not taken
  };

  Worker& of(Rank r) { return workers_[static_cast<std::size_t>(r)]; }
  std::int32_t lane(Rank from, int clock) const { return from * slots_ + clock % slots_; }

  void expect_from(Rank r, Rank peer) {
    const int clock = of(r).clock_of[static_cast<std::size_t>(peer)];
    if (clock == world_.steps()) return;
    round_.assign({{ActionKind::replace, peer, bytes_}});
    world_.post(r, lane(peer, clock), round_);
  }

  void count(Worker& w, Rank peer) {
    int& clock = w.clock_of[static_cast<std::size_t>(peer)];
    --w.at[static_cast<std::size_t>(clock)];
    ++w.at[static_cast<std::size_t>(++clock)];
    while (w.at[static_cast<std::size_t>(w.slowest)] == 0) ++w.slowest;
  }

  // Handles a completed round: an own send, or a peer's gradient. Returns false if there is none.
  bool take(Rank r) {
    Worker& w = of(r);
    if (w.done.empty()) return false;
    const std::int32_t lane = w.done.front();
    w.done.pop_front();
    const Rank peer = lane / slots_;
    if (peer == r) {
      w.sends[static_cast<std::size_t>(lane % slots_)] = false;
    } else {
      count(w, peer);
      expect_from(r, peer);
    }
    return true;
  }

  void proceed(Rank r) {
    Worker& w = of(r);
    if (w.stage == Stage::send) {
      const auto slot = static_cast<std::size_t>(w.clock % slots_);
      while (w.sends[slot])
        if (!take(r)) return;
      send(r);
      w.sends[slot] = plan_.ranks > 1;
      ++w.clock;
      count(w, r);
      w.stage = Stage::wait;
    }
    if (w.stage == Stage::wait)
      while (w.slowest < w.clock - bound_)
        if (!take(r)) return;
    while (take(r)) {
    }
    if (w.stage == Stage::settle) return;
    world_.exchanged(r, w.begin, "gradients", bytes_ * (plan_.ranks - 1));
    w.stage = w.clock == world_.steps() ? Stage::settle : Stage::compute;
    world_.begin_step(r);
  }

  void send(Rank r) {
    round_.clear();
    for (Rank peer = 0; peer < plan_.ranks; ++peer)
      if (peer != r) round_.push_back({ActionKind::send, peer, bytes_});
    if (!round_.empty()) world_.post(r, lane(r, of(r).clock), round_);
  }

  const TrainingPlan& plan_;
  DirectWorld& world_;
  int slots_;
  Count bound_ = plan_.parameter("staleness");
  Bytes bytes_ = 0;
  std::vector<Worker> workers_;
  std::vector<simulator::PostedAction> round_;
};

SimulatedSteps run_stale(const TrainingPlan& plan, simulator::Network& network, bool trace) {
  DirectWorld world(plan, network, trace);
  return StaleWorkers(plan, world).run();
}

}  // namespace

SimulatedSteps simulate_stale(const TrainingPlan& plan, const MakeNetwork& network, bool trace) {
  const double workers = plan.workers();
  const double receives = workers * workers * slots_of(plan);
  if (receives > static_cast<double>(kMostGradientsInProgress))
    fail(Blame::usage, "strategy " + std::string(plan.strategy->name) + " with staleness " +
                           std::to_string(plan.parameter("staleness")) + " has up to " +
                           std::to_string(static_cast<Count>(receives)) +
                           " gradients in progress between " + std::to_string(plan.workers()) +
                           " workers, more than the " + std::to_string(kMostGradientsInProgress) +
                           " that are simulated: use fewer workers or a smaller staleness");
  return simulate_direct(run_stale, workers * (workers - 1), plan, network, trace);
}

}  // namespace arlab::training
