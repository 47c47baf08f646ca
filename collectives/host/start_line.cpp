#include "collectives/host/start_line.hpp"

#include <limits>
#include <thread>

namespace arlab::collectives {
namespace {

// Yields while there is time: a rank that shares the core may enter meanwhile.
void wait_until(Clock& clock, double time) {
  constexpr double kSpin = 20e-6;
  for (double now = clock.now(); now < time; now = clock.now())
    if (time - now > kSpin) std::this_thread::yield();
}

}  // namespace

bool wait_for_start(Communicator& communicator, const RunRequest& request) {
  Clock& clock = communicator.clock();
  bool in_time = true;
  if (request.lead > 0) {
    const double offered = request.clock.global(clock.now()) + request.lead;
    const double start = request.clock.local(communicator.max(offered));
    in_time = clock.now() < start;
    wait_until(clock, start);
  } else {
    communicator.barrier();
  }
  if (request.delay > 0) wait_until(clock, clock.now() + request.delay);
  return in_time;
}

double microseconds_or_late(bool in_time, double seconds) {
  return in_time ? 1e6 * seconds : std::numeric_limits<double>::infinity();
}

}  // namespace arlab::collectives
