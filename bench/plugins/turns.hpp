// What programs have in common that let our collectives and the library's take turns.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace arlab::bench {

/// Takes the largest values of all ranks. A rank that waits sleeps, so that it has its processor
/// when all have come.
inline void take_most(double* values, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  for (int done = 0; true; usleep(20)) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
  }
}

/// Returns the same time on all ranks, whose machine has one clock: `seconds` after the last has
/// come, when all know it.
inline double common_start(double seconds) {
  double start = PMPI_Wtime();
  take_most(&start, 1);
  return start + seconds;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct MedianBounds {
  double low, high;
};

/// Of the median, at 95% or more: between the values whose ranks lie 0.98 sqrt(n) from the middle.
inline MedianBounds interval_of_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const double off = 0.98 * std::sqrt(n);
  const auto at = [&](double rank) {
    return values[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
  };
  return {at(std::floor(n / 2 - off)), at(std::ceil(1 + n / 2 + off))};
}

}  // namespace arlab::bench
