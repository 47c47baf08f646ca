// Timeline: simulates training iterations, with the overlap of computation and communication that a
// scheduler allows.
//
// Each worker computes its layers one after another, forward then backward, and has one link, which
// transfers messages in the order of their starts. Collectives synchronize all workers, so one
// worker represents all. Several workers on one link (a parameter server's) send separate messages
// and share the link equally.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

struct Study {
  Profile profile = {};
  LinkCost link = {};  ///< of one worker alone
  /// Optional: returns for how long a bundle holds the link, in place of `link`.
  std::function<Time(const Bundle&)> holds = {};
  const SchedulerKind* kind = nullptr;
  Values values = {};                ///< the scheduler's parameters
  std::optional<bool> barrier = {};  ///< overrides the scheduler's barrier
  int steps = 20;
  int workers = 1;
  double link_share = 1;  ///< capacity of the shared link, in links of one worker
};

struct Work {
  enum class Kind { forward, backward, message };
  Kind kind = Kind::forward;
  int worker = 0;
  int step = 0;
  int layer = 0;  ///< the first layer of a message
  Collective collective = Collective::allreduce;
  Bytes bytes = 0;
  Time begin{}, end{};
};

struct Timeline {
  std::vector<Work> works;  ///< in order of their ends
  double period = 0;        ///< picoseconds per step, over the second half of the steps
  Time computation{};       ///< of one step; the rest of the period is exposed communication
  double exposed() const { return period - picoseconds(computation); }
  Count messages = 0;         ///< of all workers and steps
  double oversubscribed = 0;  ///< fraction of time with demand above the link's capacity
};

/// Throws Error(usage) if the study has too few steps or workers, or invalid scheduler parameters.
Timeline simulate(const Study& study);

}  // namespace arlab::training
