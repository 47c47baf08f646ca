// What libarlab_mpi.so gains over any algorithm of the library: under LD_PRELOAD, MPI_Allreduce is
// ours. The library's choice and each algorithm that it can be told to take are beside it, in
// turns.
//
//   mpirun -n 8 -x LD_PRELOAD=.../libarlab_mpi.so -x ARLAB_ALGORITHM=shared algorithm_turns [ROUNDS
//   [LEAST_BYTES [MOST_BYTES]]]
//
// Prints, for each size, the medians over rounds of the slowest rank's time: ours, the library's,
// and that of its fastest algorithm; and the medians of the ratios to ours, with 95% intervals.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "bench/plugins/turns.hpp"
#include "collectives/mpi/library/library_algorithms.hpp"

namespace {

using namespace arlab::bench;
using Call = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

// One that takes turns, and the times of its rounds in ms.
struct Player {
  std::string name;
  Call call;
  MPI_Comm comm;
  std::vector<double> ms = {};
};

std::vector<Player> players(arlab::collectives::LibraryAlgorithms& library) {
  std::vector<Player> all = {{"ours", MPI_Allreduce, MPI_COMM_WORLD},
                             {"library", PMPI_Allreduce, MPI_COMM_WORLD}};
  for (const std::string& name : library.names())
    all.push_back({name, PMPI_Allreduce, library.use(MPI_COMM_WORLD, name)});
  return all;
}

// Ranks share processors, so they sleep until then.
void start_together() {
  constexpr double kUntilAllKnow = 2e-3;
  const double wait = common_start(kUntilAllKnow) - PMPI_Wtime();
  if (wait > 0) usleep(static_cast<useconds_t>(wait * 1e6));
}

double time_once(const Player& player, const std::vector<float>& from, std::vector<float>& into) {
  start_together();
  const double start = PMPI_Wtime();
  player.call(from.data(), into.data(), static_cast<int>(from.size()), MPI_FLOAT, MPI_SUM,
              player.comm);
  double ms = (PMPI_Wtime() - start) * 1e3;
  take_most(&ms, 1);
  return ms;
}

// An algorithm that was far slower in the first round has no turn any more.
void play(std::vector<Player>& all, int rounds, std::size_t bytes) {
  constexpr double kFarSlower = 2.5;
  constexpr int kFirstCalls = 6;  // of ours, some of which are the library's
  const std::vector<float> from(bytes / sizeof(float), 1);
  std::vector<float> into(from.size());
  for (int call = 0; call < kFirstCalls; ++call) time_once(all[0], from, into);
  std::vector<double> first;
  for (Player& player : all) first.push_back(time_once(player, from, into));
  const double most = kFarSlower * *std::min_element(first.begin(), first.end());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const std::size_t k = (turn + static_cast<std::size_t>(round)) % all.size();
      if (k < 2 || first[k] < most) all[k].ms.push_back(time_once(all[k], from, into));
    }
}

void print_ratio(const Player& other, const Player& ours) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < other.ms.size(); ++i) ratios.push_back(other.ms[i] / ours.ms[i]);
  const MedianBounds interval = interval_of_median(ratios);
  std::printf(" %.2f | %.2f to %.2f |", median(ratios), interval.low, interval.high);
}

void print_row(const std::vector<Player>& all, std::size_t bytes) {
  const Player* fastest = &all[1];
  for (std::size_t k = 2; k < all.size(); ++k)
    if (!all[k].ms.empty() && median(all[k].ms) < median(fastest->ms)) fastest = &all[k];
  std::printf("| %zu | %.2f | %.2f |", bytes, median(all[0].ms), median(all[1].ms));
  print_ratio(all[1], all[0]);
  std::printf(" %s | %.2f |", fastest->name.c_str(), median(fastest->ms));
  print_ratio(*fastest, all[0]);
  std::printf("\n");
  std::fflush(stdout);
}

void compare(int rounds, std::size_t least, std::size_t most) {
  arlab::collectives::LibraryAlgorithms library;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf(
        "| bytes | ours, ms | library, ms | library / ours | 95%% interval | its fastest | its ms "
        "| "
        "fastest / ours | 95%% interval |\n"
        "| ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | --- |\n");
  for (std::size_t bytes = least; bytes <= most; bytes *= 4) {
    std::vector<Player> all = players(library);
    play(all, rounds, bytes);
    if (rank == 0) print_row(all, bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  arlab::collectives::LibraryAlgorithms::prepare();
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 11;
  const long least = argc > 2 ? std::atol(argv[2]) : 64L << 10;
  const long most = argc > 3 ? std::atol(argv[3]) : 16L << 20;
  int status = 0;
  try {
    if (rounds < 1 || least < 4 || most < least) {
      std::fprintf(
          stderr,
          "error: ROUNDS, LEAST_BYTES and MOST_BYTES are %d, %ld and %ld: give at least 1, "
          "4, and LEAST_BYTES\n",
          rounds, least, most);
      status = 2;
    } else {
      compare(rounds, static_cast<std::size_t>(least), static_cast<std::size_t>(most));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    status = 3;
  }
  MPI_Finalize();
  return status;
}
