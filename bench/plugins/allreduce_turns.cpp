// What libarlab_mpi.so costs and gains: under LD_PRELOAD, MPI_Allreduce is ours and PMPI_Allreduce
// the library's. Both take turns in one process.
//
//   mpirun -n 2 -x LD_PRELOAD=.../libarlab_mpi.so -x ARLAB_ALGORITHM=ring allreduce_turns [ROUNDS
//   [MOST_BYTES]]
//
// Prints, for each size, the median over rounds of the slowest rank's mean time of each, and the
// median of their ratios with its 95% confidence interval.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Allreduce = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

double mean_us(Allreduce allreduce, const std::vector<float>& from, std::vector<float>& into,
               int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i)
    allreduce(from.data(), into.data(), static_cast<int>(from.size()), MPI_FLOAT, MPI_SUM,
              MPI_COMM_WORLD);
  double us = (PMPI_Wtime() - start) * 1e6 / calls;
  PMPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return us;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct Interval {
  double low, high;
};

// Of the median, at 95% or more: between the values whose ranks lie 0.98 sqrt(n) from the middle.
Interval interval_of_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const double off = 0.98 * std::sqrt(n);
  const auto at = [&](double rank) {
    return values[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
  };
  return {at(std::floor(n / 2 - off)), at(std::ceil(1 + n / 2 + off))};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  const long most = argc > 2 ? std::atol(argv[2]) : 64L << 20;
  if (rounds < 1 || most < 8) {
    if (rank == 0)
      std::fprintf(
          stderr,
          "error: ROUNDS and MOST_BYTES are %d and %ld: give whole numbers, at least 1 and 8\n",
          rounds, most);
    MPI_Finalize();
    return 2;
  }
  if (rank == 0)
    std::printf(
        "| bytes | ours, us | library, us | ours / library | 95%% interval |\n"
        "| ---: | ---: | ---: | ---: | ---: |\n");
  for (std::size_t bytes = 8; static_cast<long>(bytes) <= most; bytes *= bytes < 4096 ? 8 : 4) {
    const std::vector<float> from(bytes / sizeof(float), 1);
    std::vector<float> into(from.size());
    const int calls =
        static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 20) / bytes, 1, 2000));
    std::vector<double> ours, library, ratios;
    for (int round = -1; round < rounds; ++round) {
      const bool first = round % 2 != 0;
      const double a = mean_us(first ? MPI_Allreduce : PMPI_Allreduce, from, into, calls);
      const double b = mean_us(first ? PMPI_Allreduce : MPI_Allreduce, from, into, calls);
      if (round < 0) continue;  // warm-up
      ours.push_back(first ? a : b);
      library.push_back(first ? b : a);
      ratios.push_back(ours.back() / library.back());
    }
    if (rank == 0) {
      const Interval interval = interval_of_median(ratios);
      std::printf("| %zu | %.2f | %.2f | %.3f | %.3f to %.3f |\n", bytes, median(ours),
                  median(library), median(ratios), interval.low, interval.high);
    }
  }
  MPI_Finalize();
  return 0;
}
