#include "collectives/host/start_line.hpp"

#include <limits>
#include <thread>

namespace arlab::collectives {
namespace {

void wait_until(Clock& clock, double time) {
  constexpr double kSpin = 20e-6;  // a thread that yields may come back later than that
  for (double now = clock.now(); now < time; now = clock.now())
    if (time - now > kSpin) std::this_thread::yield();
}

}  // namespace

bool wait_for_start(Communicator& communicator, const RunRequest& request) {
  Clock& clock = communicator.clock();
  bool in_time = true;
  double start = 0;
  if (request.lead > 0) {
    const double offered = request.clock.global(clock.now()) + request.lead;
    start = request.clock.local(communicator.max(offered));
    in_time = clock.now() < start;
  } else {
    communicator.barrier();
    if (request.delay > 0) start = clock.now();
  }
  if (request.lead > 0 || request.delay > 0) wait_until(clock, start + request.delay);
  return in_time;
}

double microseconds_or_late(bool in_time, double seconds) {
  return in_time ? 1e6 * seconds : std::numeric_limits<double>::infinity();
}

}  // namespace arlab::collectives
