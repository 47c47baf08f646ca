// Timeline: training iterations in virtual time: computation and communication as they overlap
// under a scheduler.
//
// Each worker computes its layers one after another, forward then backward, and has one link, which
// carries its messages in the order in which they were started. Collectives keep all workers in
// step, so that one stands for all; several workers on one link (a parameter server's) each send
// their own, and share the link equally.
#pragma once

#include <optional>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

struct Study {
  Profile profile = {};
  LinkCost link = {};  ///< of one worker that is alone
  const SchedulerKind* kind = nullptr;
  Values values = {};                ///< of the scheduler
  std::optional<bool> barrier = {};  ///< instead of the scheduler's own
  int steps = 20;
  int workers = 1;
  double link_share = 1;  ///< what the shared link carries, in links of one worker
};

struct Work {
  enum class Kind { forward, backward, message };
  Kind kind = Kind::forward;
  int worker = 0;
  int step = 0;
  int layer = 0;  ///< the first one of a message
  Collective collective = Collective::allreduce;
  Bytes bytes = 0;
  Time begin{}, end{};
};

struct Timeline {
  std::vector<Work> works;  ///< by their ends
  double period = 0;        ///< picoseconds a step, over the second half of the steps
  Time computation{};     ///< of one step; the rest of the period is exposed communication
  double exposed() const { return period - picoseconds(computation); }
  Count messages = 0;         ///< of all workers and steps
  double oversubscribed = 0;  ///< share of the time in which workers want more than the link has
};

/// Throws Error(usage) for a study without steps or workers, or with a scheduler that does not know
/// what it is given.
Timeline simulate(const Study& study);

}  // namespace arlab::training
