#include "collectives/copy/measured_copy.hpp"

#include <chrono>
#include <cstring>

#include "collectives/copy/stream_copy.hpp"

namespace arlab::collectives {

void copy_by(Way way, std::byte* into, const std::byte* from, std::size_t bytes) {
  if (way == Way::streamed)
    stream_copy(into, from, bytes);
  else
    std::memcpy(into, from, bytes);
}

void MeasuredCopy::operator()(std::byte* into, const std::byte* from, std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  const auto [way, measured] = bytes <= kFewBytes ? WayChoice::Pick{} : ways_.pick(bytes);
  const auto start = measured ? Clock::now() : Clock::time_point{};
  copy_by(way, into, from, bytes);
  if (!measured) return;
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  ways_.learn(bytes, way, took.count());
}

}  // namespace arlab::collectives
