// Trace: the activities of every rank in a simulated run.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::simulator {

struct Span {
  enum class Kind : std::uint8_t { send, receive, reduce };
  Kind kind = Kind::send;
  Rank rank = 0;
  std::int32_t lane = 0;
  Count round = 0;  ///< of the rank's lane, counted from 1
  Rank peer = 0;    ///< unused in reduce
  Bytes bytes = 0;
  Time begin{};
  Time end{};
  std::int64_t message =
      -1;  ///< equal in the send and the receive of one message; -1 in a reduction

  bool operator==(const Span&) const = default;
};

struct Trace {
  std::vector<Span> spans;
};

}  // namespace arlab::simulator
