// Types: the numbers that every folder counts with.
#pragma once

#include <cstdint>

namespace arlab {

using Rank = std::int32_t;
using Count = std::int64_t;  ///< of elements or messages
using Bytes = std::int64_t;  ///< of one message or vector

}  // namespace arlab
