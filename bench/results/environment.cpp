#include "bench/results/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "bench/results/context.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kNames[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS",
                                       "CUDA_DEVICE_ORDER",    "GOMP_CPU_AFFINITY",
                                       "KMP_AFFINITY",         "LD_PRELOAD",
                                       "MALLOC_ARENA_MAX",     "GLIBC_TUNABLES"};
constexpr std::string_view kPrefixes[] = {
    "OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_",      "MPIR_CVAR_",    "MPICH_",
    "I_MPI_",    "NCCL_",     "UCX_",           "UCC_",          "FI_",
    "OMP_",      "HCOLL_",    "SLURM_CPU_BIND", "SLURM_MPI_TYPE"};
// Open MPI's launcher sets these itself: addresses and identities, no settings.
constexpr std::string_view kNever[] = {
    "OMPI_MCA_orte_",        "OMPI_MCA_ess_",          "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_mca_base_component_show"};

template <class List>
bool begins_with_one(std::string_view name, const List& prefixes) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_relevant(std::string_view name) {
  for (const char* secret : {"TOKEN", "SECRET", "PASSWORD", "KEY"})
    if (name.find(secret) != std::string_view::npos) return false;
  if (begins_with_one(name, kNever)) return false;
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         begins_with_one(name, kPrefixes);
}

}  // namespace

std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view line = *entry;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_relevant(line.substr(0, equals))) continue;
    all.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return all;
}

std::string launch_id() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty())
    return "slurm " + job + "." + variable("SLURM_STEP_ID");
  for (const char* name : {"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "PMI_JOBID"})
    if (const std::string job = variable(name); !job.empty()) return "mpi " + job;
  return "process " + std::to_string(getpid()) + " of " + utc_now();
}

std::string frequency_governor() {
  std::ifstream in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string text;
  in >> text;
  return text;
}

}  // namespace arlab::bench
