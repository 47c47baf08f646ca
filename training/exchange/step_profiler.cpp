#include "training/exchange/step_profiler.hpp"

#include <algorithm>

#include "collectives/gpu/device.hpp"

namespace arlab::training {

void StepProfiler::start_step() {
  end_step();
  ++steps_;
  forward_ = true;
  variable_ = 0;
  resume();
}

void StepProfiler::end_step() {
  if (ended_ == steps_) return;
  for (std::size_t v = 0; v < step_.size(); ++v) {
    const bool is_first = ended_ == 0;
    Seconds& least = least_[v];
    least.forward = is_first ? step_[v].forward : std::min(least.forward, step_[v].forward);
    least.backward = is_first ? step_[v].backward : std::min(least.backward, step_[v].backward);
    step_[v] = {};
  }
  ended_ = steps_;
}

double StepProfiler::lap() {
  const double before = last_;
  resume();
  return last_ - before;
}

// In the forward pass, the time between two calls belongs to the previously needed variable; in the
// backward pass it belongs to the variable whose gradient is ready now.
void StepProfiler::need(std::size_t variable) {
  const double took = lap();
  if (variable > 0) step_[variable_].forward += took;
  variable_ = variable;
}

// Between the passes, the last variable's forward pass and the first backward pass run; the latter
// takes twice as long.
void StepProfiler::ready(std::size_t variable) {
  const double took = lap();
  if (forward_) step_[variable_].forward += took / 3;
  step_[variable].backward += forward_ ? 2 * took / 3 : took;
  forward_ = false;
}

void StepProfiler::agree(collectives::Communicator& communicator, Profile& profile) {
  end_step();
  const auto time = [&](double seconds) {
    return to_time(communicator.max(seconds) * kPicosecondsPerSecond);
  };
  for (std::size_t v = 0; v < profile.size(); ++v) {
    profile[v].forward = time(least_[v].forward);
    profile[v].backward = time(least_[v].backward);
  }
}

LinkCost measured_link(collectives::Communicator& communicator, const Route& route,
                       const DeviceMath* math) {
  constexpr Count kSmall = 1, kLarge = 1 << 16;
  if (communicator.ranks() == 1) return {};
  std::vector<float> data(math ? 0 : kLarge);
  collectives::DeviceMemory memory;
  if (math) {
    memory = math->device->allocate(kLarge * sizeof(float));
    math->clear({reinterpret_cast<float*>(memory.data()), kLarge});
    math->stream->synchronize();
  }
  const auto allreduce = [&](std::size_t n) {
    if (math)
      run_on_device(communicator, route, Collective::allreduce, 0,
                    {reinterpret_cast<float*>(memory.data()), n}, {});
    else
      run_collective(communicator, route, Collective::allreduce, 0, std::span(data).first(n), 0);
  };
  const auto seconds = [&](Count elements) {
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      communicator.barrier();
      const double begin = communicator.clock().now();
      allreduce(static_cast<std::size_t>(elements));
      best = std::min(best, communicator.clock().now() - begin);
    }
    return communicator.max(best);
  };
  const double small = seconds(kSmall), large = seconds(kLarge);
  memory = {};
  if (math)
    communicator.barrier();  // freeing may wait for a peer's stream that waits for this rank
  return {
      to_time(small * kPicosecondsPerSecond),
      std::max(0.0, large - small) * kPicosecondsPerSecond / ((kLarge - kSmall) * kGradientBytes),
      Time{}};
}

}  // namespace arlab::training
