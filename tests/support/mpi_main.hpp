// The main of a test program that runs under mpirun. Every rank runs the same test cases; only rank
// 0's reporter prints, and a failure of any rank fails the job. One file of a program includes it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "collectives/mpi/mpi.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_tests.hpp"

namespace {

arlab::collectives::Mpi* mpi = nullptr;  // Catch2's test cases take no arguments
arlab::collectives::Communicator* world = nullptr;

/// What all ranks repeat, for killed_rank.sh, until one of them is killed.
[[maybe_unused]] void (*until_killed)() = [] { world->barrier(); };

}  // namespace

int main(int argc, char** argv) {
  arlab::collectives::Mpi job;
  mpi = &job;
  world = &job.world();
  if (argc == 2 && std::strcmp(argv[1], "hang") == 0) {
    std::printf("%d %ld\n", world->rank(), static_cast<long>(getpid()));
    std::fflush(stdout);
    for (;;) until_killed();
  }
  if (world->rank() != 0 && !std::freopen("/dev/null", "w", stdout)) return 3;
  const int failed = run_tests(argc, argv);
  return world->sum(failed) == 0 ? 0 : 1;
}
