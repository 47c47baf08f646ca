// What libarlab_mpi.so costs and gains: under LD_PRELOAD, MPI_Allreduce is ours and PMPI_Allreduce
// the library's. Both take turns in one process.
//
//   mpirun -n 2 -x LD_PRELOAD=.../libarlab_mpi.so -x ARLAB_ALGORITHM=ring allreduce_turns [ROUNDS
//   [MOST_BYTES [CALL [in-place|apart]]]]
//
// CALL: allreduce (default), reduce, bcast, allgather, reduce_scatter; bytes are those of the
// vector, of the last two those of a rank's block. With `apart`, all ranks begin each call
// together: else some run ahead in those that have a root.
//
// Prints, for each size, the median over rounds of the slowest rank's mean time of each, and the
// median of their ratios with its 95% confidence interval. On a machine that others use, too, ranks
// lose their processors: the last two columns are the median of the ratios of rounds in which none
// did, and how many there were.
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/plugins/turns.hpp"

namespace {

using namespace arlab::bench;

struct Buffers {
  std::vector<float> from, into;
  int count;
  bool in_place;
};

int all_ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

bool is_root() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

// One call, of the library if `plain`, else of who takes MPI_*.
void call_once(const std::string& call, bool plain, Buffers& b) {
  const void* const from = b.in_place ? MPI_IN_PLACE : b.from.data();
  void* const into = b.into.data();
  const MPI_Comm world = MPI_COMM_WORLD;
  if (call == "allreduce")
    (plain ? PMPI_Allreduce : MPI_Allreduce)(from, into, b.count, MPI_FLOAT, MPI_SUM, world);
  else if (call == "reduce")
    (plain ? PMPI_Reduce : MPI_Reduce)(is_root() ? from : b.from.data(), into, b.count, MPI_FLOAT,
                                       MPI_SUM, 0, world);
  else if (call == "bcast")
    (plain ? PMPI_Bcast : MPI_Bcast)(into, b.count, MPI_FLOAT, 0, world);
  else if (call == "allgather")
    (plain ? PMPI_Allgather : MPI_Allgather)(from, b.count, MPI_FLOAT, into, b.count, MPI_FLOAT,
                                             world);
  else
    (plain ? PMPI_Reduce_scatter_block : MPI_Reduce_scatter_block)(from, into, b.count, MPI_FLOAT,
                                                                   MPI_SUM, world);
}

// How often this process has lost its processor.
double switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nivcsw + usage.ru_nvcsw);
}

void start_together() {
  constexpr double kUntilAllAreAwake = 300e-6;
  const double start = common_start(kUntilAllAreAwake);
  while (PMPI_Wtime() < start) {
  }
}

struct Batch {
  double us, switches;  // of the slowest rank, a call; of the rank with most
};

Batch time_batch(const std::string& call, bool plain, Buffers& buffers, int calls) {
  start_together();
  const double before = switches(), start = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) call_once(call, plain, buffers);
  double most[2] = {(PMPI_Wtime() - start) * 1e6 / calls, switches() - before};
  take_most(most, 2);
  return {most[0], most[1]};
}

// Of calls each of which all ranks begin together.
Batch time_apart(const std::string& call, bool plain, Buffers& buffers, int calls) {
  Batch all{};
  for (int i = 0; i < calls; ++i) {
    const Batch one = time_batch(call, plain, buffers, 1);
    all.us += one.us / calls;
    all.switches += one.switches;
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  const long most = argc > 2 ? std::atol(argv[2]) : 64L << 20;
  const std::string call = argc > 3 ? argv[3] : "allreduce";
  const std::string way = argc > 4 ? argv[4] : "";
  const bool in_place = way == "in-place", apart = way == "apart";
  const auto time = apart ? time_apart : time_batch;
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
        "| bytes | ours, us | library, us | ours / library | 95%% interval | undisturbed | rounds "
        "|\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (std::size_t bytes = 8; static_cast<long>(bytes) <= most; bytes *= bytes < 4096 ? 8 : 4) {
    const bool in_blocks = call == "allgather" || call == "reduce_scatter";
    const std::size_t elements =
        bytes / sizeof(float) * (in_blocks ? static_cast<std::size_t>(all_ranks()) : 1);
    Buffers buffers{std::vector<float>(elements, 1), std::vector<float>(elements),
                    static_cast<int>(bytes / sizeof(float)), in_place};
    const int calls = static_cast<int>(
        std::clamp<std::size_t>((std::size_t{1} << 20) / bytes, 1, apart ? 20 : 200));
    std::vector<double> ours, library, ratios, undisturbed;
    for (int round = -1; round < rounds; ++round) {
      const bool first = round % 2 != 0;
      const Batch a = time(call, !first, buffers, calls);
      const Batch b = time(call, first, buffers, calls);
      if (round < 0) continue;  // warm-up
      ours.push_back(first ? a.us : b.us);
      library.push_back(first ? b.us : a.us);
      ratios.push_back(ours.back() / library.back());
      if (a.switches + b.switches == 0) undisturbed.push_back(ratios.back());
    }
    if (rank == 0) {
      const MedianBounds interval = interval_of_median(ratios);
      std::printf("| %zu | %.2f | %.2f | %.3f | %.3f to %.3f | %.3f | %zu |\n", bytes, median(ours),
                  median(library), median(ratios), interval.low, interval.high, median(undisturbed),
                  undisturbed.size());
    }
  }
  MPI_Finalize();
  return 0;
}
