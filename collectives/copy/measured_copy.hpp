// MeasuredCopy: copies memory that another core has read or written before, in the way that has
// been the faster.
//
// For one rank: not for several threads at once.
#pragma once

#include <cstddef>

#include "collectives/copy/way_choice.hpp"

namespace arlab::collectives {

/// As memcpy does, or stream_copy(). way: not Way::read.
void copy_by(Way way, std::byte* into, const std::byte* from, std::size_t bytes);

class MeasuredCopy {
 public:
  void operator()(std::byte* into, const std::byte* from, std::size_t bytes);

 private:
  static constexpr std::size_t kFewBytes = 1024;  // up to which nothing is measured
  WayChoice ways_;
};

}  // namespace arlab::collectives
