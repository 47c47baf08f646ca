// CheckedVector: one rank's vector on a device, with its input and its expected result.
//
// The device compares, so that a large vector is checked at the speed of its memory.
#pragma once

#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

class CheckedVector {
 public:
  /// Fills the memory through the stream, and waits for it. Device and stream must outlive this.
  CheckedVector(Device& device, DeviceStream& stream, const Problem& problem, Operand operand,
                Rank rank);

  std::byte* data() const { return data_.data(); }
  /// Enqueues a copy of the input into the vector.
  void reset() { stream_.copy(data_.data(), input_.data(), input_.size()); }
  /// Enqueues the check of every element that the collective defines.
  void check();
  /// Number of wrong elements that the last check() found. The stream must be done.
  Count wrong() const;

 private:
  DeviceStream& stream_;
  Operand operand_;
  std::vector<ElementRange> needed_;
  DeviceMemory input_, data_, expected_, counter_, result_;
};

}  // namespace arlab::collectives
