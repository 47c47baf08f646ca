#include "bench/config/launcher.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

struct Variables {
  const char* rank;
  const char* ranks;
};
// The inner launcher first: srun may start mpirun.
constexpr Variables kLaunchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                    {"PMI_RANK", "PMI_SIZE"},
                                    {"PALS_RANKID", "PALS_SIZE"},
                                    {"SLURM_PROCID", "SLURM_NTASKS"},
                                    {"SLURM_PROCID", "SLURM_NPROCS"},
                                    {"PMIX_RANK", "SLURM_NTASKS"}};

std::optional<Rank> number(const char* text) {
  if (!text) return std::nullopt;
  const std::string_view digits = text;
  Rank value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<LaunchedRank> launched_rank() {
  for (const Variables& v : kLaunchers) {
    const auto rank = number(std::getenv(v.rank)), ranks = number(std::getenv(v.ranks));
    if (rank && ranks && *rank < *ranks) return LaunchedRank{*rank, *ranks};
  }
  return std::nullopt;
}

LaunchedRank expect_launched_rank() {
  if (const auto launched = launched_rank()) return *launched;
  for (const Variables& v : kLaunchers)
    if (const char* rank = std::getenv(v.rank)) {
      const char* ranks = std::getenv(v.ranks);
      fail(Blame::usage,
           fmt::format(
               "--jobs share needs a rank below the number of ranks, but {} is '{}' and {} is "
               "{}: start the processes with srun or mpirun",
               v.rank, rank, v.ranks, ranks ? fmt::format("'{}'", ranks) : std::string("not set")));
    }
  fail(Blame::usage,
       "--jobs share finds no rank in the environment: start the processes with srun or mpirun, or "
       "set "
       "SLURM_PROCID and SLURM_NTASKS in each");
}

// A batch script, or a shell of salloc, has tasks to start; only a step of srun is one of them.
void expect_one_job(Rank ranks) {
  if (ranks > 1 || std::getenv("OMPI_COMM_WORLD_SIZE")) return;
  const bool in_step = std::getenv("SLURM_STEP_ID") || !std::getenv("SLURM_JOB_ID");
  const char* const variable =
      std::getenv("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  const auto tasks = number(std::getenv(variable));
  if (!in_step || !tasks || *tasks < 2) return;
  fail(Blame::usage,
       fmt::format("srun started {} tasks ({}), but they are not one MPI job, so each would run "
                   "alone: use srun --mpi=pmix -n {} arlab ... (`srun --mpi=list` names what this "
                   "Slurm has), or mpirun; for one process use srun -n 1",
                   *tasks, variable, *tasks));
}

}  // namespace arlab::bench
