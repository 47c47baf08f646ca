// median_microseconds: measures the duration of work on a stream by the device's own clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

/// Returns the median duration of one `work`, which enqueues on `stream`, over kBatches batches
/// after one to warm up. A batch is kLaunches of it between two events. An idle device takes the
/// time of the first event some microseconds before the host launches anything, which would be a
/// tenth of a single copy of 64 MiB.
inline constexpr int kBatches = 11, kLaunches = 20;

inline double median_microseconds(Device& device, DeviceStream& stream,
                                  const std::function<void()>& work) {
  const auto start = device.make_event(true), stop = device.make_event(true);
  std::array<double, kBatches> times{};
  for (int batch = -1; batch < kBatches; ++batch) {
    stream.record(start);
    for (int k = 0; k < kLaunches; ++k) work();
    stream.record(stop);
    const double took = stream.microseconds_between(start, stop) / kLaunches;
    if (batch >= 0) times[static_cast<std::size_t>(batch)] = took;
  }
  const auto middle = times.begin() + kBatches / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace arlab::collectives
