#include "bench/results/context.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "bench/results/version.hpp"
#include "collectives/backends/job.hpp"

namespace arlab::bench {
namespace {

std::string cpu_name() {
  const std::string cores = fmt::format("{} cores", std::thread::hardware_concurrency());
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2) + ", " + cores;
  return cores;
}

constexpr std::string_view kNames[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS",
                                       "CUDA_DEVICE_ORDER",    "GOMP_CPU_AFFINITY",
                                       "KMP_AFFINITY",         "LD_PRELOAD",
                                       "MALLOC_ARENA_MAX",     "GLIBC_TUNABLES"};
constexpr std::string_view kPrefixes[] = {
    "OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_",      "MPIR_CVAR_",    "MPICH_",
    "I_MPI_",    "NCCL_",     "UCX_",           "UCC_",          "FI_",
    "OMP_",      "HCOLL_",    "SLURM_CPU_BIND", "SLURM_MPI_TYPE"};
// Open MPI's launcher sets these itself: addresses and identities, no settings.
constexpr std::string_view kNotSettings[] = {
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
  if (begins_with_one(name, kNotSettings)) return false;
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         begins_with_one(name, kPrefixes);
}

// A name for this launch that all its processes share, such as "slurm 4711.0": from the launcher,
// else from the process; and so another one for each launch.
std::string launch_id() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty()) {
    // One job may run mpirun several times, which are not steps.
    const std::string mpirun = variable("OMPI_MCA_ess_base_jobid");
    return "slurm " + job + "." + variable("SLURM_STEP_ID") +
           (mpirun.empty() ? "" : " mpi " + mpirun);
  }
  for (const char* name : {"OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", "PMI_JOBID"})
    if (const std::string job = variable(name); !job.empty()) return "mpi " + job;
  return "process " + std::to_string(getpid()) + " of " + utc_now();
}

// The policy that sets the processors' frequency, such as "performance"; empty if unknown.
std::string frequency_governor() {
  std::ifstream in("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string text;
  in >> text;
  return text;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string shell_quoted(const std::vector<std::string>& command) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  std::string all;
  for (const std::string& word : command) {
    if (!all.empty()) all += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      all += word;
      continue;
    }
    all += '\'';
    for (const char c : word) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
    all += '\'';
  }
  return all;
}

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

Json to_json(const DeviceContext& devices) {
  return {{"gpu", devices.gpus},
          {"gpu_links", text_or_null(devices.links)},
          {"copy_limit_gb_per_s", devices.copy_limit},
          {"cuda", devices.cuda},
          {"nccl", text_or_null(devices.nccl)}};
}

Json context(const std::vector<std::string>& command, const Json& machine) {
  const std::string mpi = collectives::mpi_library(), governor = frequency_governor();
  Json all{{"schema", kSchema},
           {"kind", "context"},
           {"version", kVersion},
           {"commit", kCommit},
           {"date", utc_now()},
           {"host", host_name()},
           {"cpu", cpu_name()},
           {"gpu", nullptr},
           {"compiler", kCompiler},
           {"build", kBuildType},
           {"mpi", text_or_null(mpi)},
           {"nccl", nullptr},
           {"cuda", nullptr},
           {"governor", text_or_null(governor)},
           {"environment", relevant_environment()},
           {"launch", launch_id()},
           {"command", shell_quoted(command)}};
  if (!machine.is_null()) all.update(machine);
  return all;
}

}  // namespace arlab::bench
