// CheckedVector: one rank's vector on a device, with its input and its expected result.
//
// The device compares, so that a large vector is checked at the speed of its memory.
#pragma once

#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/schedule/lane_rounds.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::collectives {

class CheckedVector {
 public:
  /// Fills the memory through the stream, and waits for it. Device and stream must outlive this.
  /// `data`: the vector's own memory, if it is to be of a special kind.
  CheckedVector(Device& device, DeviceStream& stream, const Problem& problem, Operand operand,
                Rank rank, DeviceMemory data = {});

  std::byte* data() const { return data_.data(); }
  const std::byte* input() const { return input_.data(); }
  /// Enqueues what a run needs: a copy of the input in the vector; or, for runs out of place,
  /// values that are not a result. Cold runs also need other memory to pass through the device's
  /// caches.
  void reset(const RunMode& mode);
  /// Enqueues the copy of the input with which an algorithm starts out of place.
  void copy_input();
  /// Enqueues the check of every element that the collective defines.
  void check();
  /// Number of wrong elements that the last check() found. The stream must be done.
  Count wrong() const;

 private:
  DeviceStream& stream_;
  Operand operand_;
  Device& device_;
  std::vector<ElementRange> held_, needed_;
  DeviceMemory input_, data_, expected_, counter_, result_;
  DeviceMemory no_result_, other_;  // allocated when they are needed
};

}  // namespace arlab::collectives
