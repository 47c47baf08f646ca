// RankState: one simulated rank: a thread that computes layer by layer, and one that exchanges
// gradients.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/base/random.hpp"
#include "collectives/schedule/lane_rounds.hpp"
#include "training/simulation/training_plan.hpp"

namespace arlab::training {

/// What the exchange runs: gradients that a scheduler chose, or a collective of the strategy.
struct ExchangeTask {
  Bundle bundle;
  bool scheduled = false;
};

struct RankState {
  enum class At { need, ready, finish, ended };

  RankState(const TrainingPlan& plan, Rank rank)
      : missing(plan.layers.size()),
        pending(plan.layers.size()),
        random(Random(plan.seed).of(static_cast<std::uint64_t>(rank))) {}

  // The thread that computes.
  At at = At::need;
  std::size_t layer = 0;
  int step = 0;
  bool begun = false;  // the step
  bool waits = false;  // for the exchange
  Time waits_since{};
  std::size_t jobs = 0, jobs_done = 0;  // of the strategy
  std::vector<std::size_t> jobs_by;     // by the end of each step
  std::vector<Count> missing;           // elements of each gradient that are not exchanged yet
  std::vector<bool> pending;            // updates before the next forward pass
  std::size_t open = 0;                 // gradients with missing elements

  // The thread that exchanges.
  bool idle = true;                      // waits for anything to change
  std::uint32_t idles = 0;               // identifies alarms of earlier waits
  std::unique_ptr<Scheduler> scheduler;  // null if another rank leads
  std::deque<ExchangeTask> queue;
  std::optional<ExchangeTask> task;  // in progress
  std::size_t announced = 0;         // bundles heard from the leader
  bool listening = false;
  std::vector<Transmission> parts;          // of the task, from the next one on
  std::size_t part = 0, announcements = 0;  // the first parts are announcements
  bool coded = false;                       // the part's code is there
  std::vector<collectives::LaneRounds> lanes;
  std::vector<Turn> turns;  // of the lanes
  std::int32_t first_lane = 0;
  int running = 0;  // lanes
  std::int64_t collectives = 0;
  Time begun_at{}, chosen_at{};  // of the task; the leader announces it between
  Time codec{};                  // of the task
  std::size_t finished = 0;      // tasks

  Random random;
  std::uint64_t draws = 0;
};

}  // namespace arlab::training
