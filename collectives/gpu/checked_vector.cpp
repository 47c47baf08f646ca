#include "collectives/gpu/checked_vector.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "collectives/verifiable_input.hpp"

namespace arlab::collectives {

CheckedVector::CheckedVector(Device& device, DeviceStream& stream, const Problem& problem,
                             Operand operand, Rank rank, DeviceMemory data)
    : stream_(stream),
      operand_(operand),
      device_(device),
      held_(held_at_start(problem, rank)),
      needed_(needed_at_end({problem, 0}, rank)),
      input_(device.allocate(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype))),
      data_(data.data() ? std::move(data) : device.allocate(input_.size())),
      expected_(device.allocate(input_.size())),
      counter_(device.allocate(sizeof(Count))),
      result_(device.allocate(sizeof(Count), MemoryKind::pinned)) {
  const DeviceMemory host = device.allocate(input_.size(), MemoryKind::pinned);
  const std::span<std::byte> vector(host.data(), host.size());
  fill(vector, operand, problem, rank);
  stream_.copy(input_.data(), host.data(), host.size());
  stream_.synchronize();
  expected_result(vector, operand, problem, rank);
  stream_.copy(expected_.data(), host.data(), host.size());
  stream_.synchronize();
}

void CheckedVector::reset(const RunMode& mode) {
  if (mode.in_place) {
    stream_.copy(data_.data(), input_.data(), input_.size());
  } else {
    if (no_result_.size() < data_.size()) {
      const DeviceMemory host = device_.allocate(data_.size(), MemoryKind::pinned);
      std::memset(host.data(), kNoResult, host.size());
      no_result_ = device_.allocate(data_.size());
      stream_.copy(no_result_.data(), host.data(), host.size());
      stream_.synchronize();
    }
    stream_.copy(data_.data(), no_result_.data(), data_.size());
  }
  if (!mode.cold) return;
  constexpr std::size_t kOther = std::size_t{64} << 20;  // read and written: more than a cache
  if (other_.size() == 0) other_ = device_.allocate(2 * kOther);
  stream_.copy(other_.data(), other_.data() + kOther, kOther);
}

void CheckedVector::copy_input() {
  const std::size_t element = size_of(operand_.dtype);
  for (const ElementRange& range : held_) {
    const std::size_t first = static_cast<std::size_t>(range.first) * element;
    stream_.copy(data_.data() + first, input_.data() + first,
                 static_cast<std::size_t>(range.elements) * element);
  }
}

void CheckedVector::check() {
  std::memset(result_.data(), 0, sizeof(Count));
  stream_.copy(counter_.data(), result_.data(), sizeof(Count));
  for (const ElementRange& range : needed_) {
    const auto at = static_cast<std::size_t>(range.first) * size_of(operand_.dtype);
    stream_.count_different(counter_.data(), data_.data() + at, expected_.data() + at,
                            range.elements, operand_.dtype);
  }
  stream_.copy(result_.data(), counter_.data(), sizeof(Count));
}

Count CheckedVector::wrong() const {
  Count count = 0;
  std::memcpy(&count, result_.data(), sizeof(count));
  return count;
}

}  // namespace arlab::collectives
