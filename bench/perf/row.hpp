// PerfRow: one line of nccl-tests' table: a size, and its times out of place and in place.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/problem.hpp"
#include "bench/perf/options.hpp"

namespace arlab::bench {

/// How nccl-tests cuts a size into elements.
struct PerfShape {
  std::int64_t size = 0;  ///< of the longer of the two vectors, in bytes
  std::int64_t count =
      0;               ///< elements that the library's call names: of one rank's part, or of all
  Count elements = 0;  ///< of the whole vector
};

/// Rounds `bytes` down to whole elements; the parts of reduce_scatter and all_gather, one per rank,
/// to 16 bytes.
PerfShape perf_shape(Collective collective, std::int64_t bytes, std::size_t element, Rank ranks);

/// One of the two halves of a row.
struct PerfTime {
  double us = 0;
  double algbw = 0, busbw = 0;  ///< GB/s
  Count wrong = 0;              ///< elements
};

struct PerfRow {
  PerfShape shape;
  std::string type, op;
  Rank root = -1;
  PerfTime out_of_place, in_place;
};

/// Returns the rates of a time, as nccl-tests computes them.
PerfTime perf_time(Collective collective, const PerfShape& shape, std::size_t element, Rank ranks,
                   double us, Count wrong);

/// A rank, as the list of devices has it.
struct PerfDevice {
  Rank rank = 0;
  int group = 0, pid = 0;
  std::string host;
  int device = 0;
  std::string hex = "0000:00:00";  ///< of the bus
  std::string info;
};

}  // namespace arlab::bench
