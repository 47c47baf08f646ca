#include "collectives/gpu/checked_vector.hpp"

#include <cstring>
#include <span>

#include "collectives/verifiable_input.hpp"

namespace arlab::collectives {

CheckedVector::CheckedVector(Device& device, DeviceStream& stream, const Problem& problem,
                             Operand operand, Rank rank)
    : stream_(stream),
      operand_(operand),
      needed_(needed_at_end({problem, 0}, rank)),
      input_(device.allocate(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype))),
      data_(device.allocate(input_.size())),
      expected_(device.allocate(input_.size())),
      counter_(device.allocate(sizeof(Count))),
      result_(device.allocate_pinned(sizeof(Count))) {
  const DeviceMemory host = device.allocate_pinned(input_.size());
  const std::span<std::byte> vector(host.data(), host.size());
  fill(vector, operand, problem, rank);
  stream_.copy(input_.data(), host.data(), host.size());
  stream_.synchronise();
  expected_result(vector, operand, problem, rank);
  stream_.copy(expected_.data(), host.data(), host.size());
  stream_.synchronise();
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
