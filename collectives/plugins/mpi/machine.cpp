#include "collectives/plugins/mpi/machine.hpp"

#include <mpi.h>
#include <sched.h>

#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "collectives/emulated_machines.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {
namespace {

constexpr std::size_t kProcessors = 8192;
using Processors = std::array<unsigned long, kProcessors / (8 * sizeof(unsigned long))>;

// On which this process may run.
Processors own_processors() {
  Processors mine{};
#ifdef __linux__
  if (sched_getaffinity(0, sizeof mine, reinterpret_cast<cpu_set_t*>(mine.data())) != 0) mine = {};
#endif
  return mine;
}

int count(const Processors& processors) {
  int all = 0;
  for (const unsigned long word : processors) all += __builtin_popcountl(word);
  return all;
}

}  // namespace

std::uint64_t machine_id() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  std::string text(name.data(), static_cast<std::size_t>(length));
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (const int each = ranks_per_emulated_machine(); each > 0)
    text += " " + std::to_string(rank_in(MPI_COMM_WORLD) / each);
  const std::uint64_t id = std::hash<std::string>{}(text + " " + boot);
  return id != 0 ? id : 1;
}

Machine machine_of_job() {
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int ranks = 1;
  PMPI_Comm_size(here, &ranks);
  Processors all = own_processors();
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_UNSIGNED_LONG, MPI_BOR,
                 here);
  PMPI_Comm_free(&here);
  return {machine_id(), ranks > count(all)};
}

}  // namespace arlab::collectives
