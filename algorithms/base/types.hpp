// Types: the numbers that every folder counts with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arlab {

using Rank = std::int32_t;
using Count = std::int64_t;  ///< of elements or messages
using Bytes = std::int64_t;  ///< of one message or vector

/// Returns a rank, a count or another number >= 0 as the index of a container.
template <class Integer>
constexpr std::size_t index(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace arlab
