#include "collectives/plugins/mpi/plugin.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/emulated_machines.hpp"
#include "collectives/files/output_file.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/plugins/mpi/job.hpp"

namespace arlab::collectives {
namespace {

bool is_on(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && *text != '\0' && std::string(text) != "0";
}

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? text : "";
}

int end_of_job(MPI_Comm, int, void* value, void*) {
  static_cast<const Plugin*>(value)->end();
  return MPI_SUCCESS;
}

// MPI_Finalize frees MPI_COMM_SELF first, also when Fortran calls it.
void at_end_of_job(Plugin& its) {
  int keyval = MPI_KEYVAL_INVALID;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_job, &keyval, nullptr) == MPI_SUCCESS)
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &its);
}

// What all ranks must have alike, a line each: the table, too, which may be another file on another
// machine.
std::string settings_of(const Plugin& its) {
  const std::string lines =
      concat("ARLAB_ALGORITHM=", its.algorithm, "\nARLAB_PROFILE=", its.profile,
             "\nARLAB_REPORT=", its.reports ? "1" : "0",
             "\nARLAB_RANKS_PER_MACHINE=", text_of("ARLAB_RANKS_PER_MACHINE"));
  if (!its.algorithm.ends_with(".json")) return lines;
  std::ifstream file(its.algorithm);
  return concat(lines, "\n", its.algorithm, ": ",
                std::string(std::istreambuf_iterator<char>(file), {}));
}

// Whether programs may give the MPI library memory of GPUs, on any rank: Open MPI and MPICH say so.
bool takes_gpu_memory() {
  int takes = text_of("MPICH_GPU_SUPPORT_ENABLED") == "1" ? 1 : 0;  // Cray's
  for (const char* const name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support",
                                 "MPIX_Query_hip_support", "MPIX_Query_ze_support"})
    if (void* const query = dlsym(RTLD_DEFAULT, name))
      takes |= reinterpret_cast<int (*)()>(query)() != 0 ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &takes, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return takes != 0;
}

void write_profile(const Plugin& its, const JobLog& log) {
  const std::string text = profile_of(log);
  const std::string_view pieces[] = {text};
  try {
    write_atomically(its.profile, pieces);
  } catch (const Error& error) {
    std::fprintf(stderr, "arlab: ARLAB_PROFILE: %s\n", printable(error.what()).c_str());
  }
}

}  // namespace

void say_once(const std::string& text, MPI_Comm comm) {
  static std::mutex mutex;
  static std::set<std::string> said;
  if (rank_in(comm) != 0) return;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) std::fprintf(stderr, "arlab: %s\n", printable(text).c_str());
}

Plugin::Plugin()
    : algorithm(text_of("ARLAB_ALGORITHM")),
      profile(text_of("ARLAB_PROFILE")),
      reports(is_on("ARLAB_REPORT")),
      logs(reports || !profile.empty()) {
  if (logs) at_end_of_job(*this);
  try {
    ranks_per_emulated_machine();  // what is wrong with it is said here
    rules = read_rank_rules(algorithm.empty() ? "auto" : algorithm, "ARLAB_ALGORITHM", true);
    const auto some = [&](auto which) {
      return std::any_of(rules.begin(), rules.end(), [&](const RankRule& rule) {
        return std::any_of(rule.sizes.begin(), rule.sizes.end(), which);
      });
    };
    shares = some([](const SizeRule& size) { return size.shared != SharedUse::never; });
    if (!some([](const SizeRule& size) { return !size.is_library(); }))
      rules.clear();  // decides faster
  } catch (const std::exception& error) {
    say_once(concat(error.what(), "; MPI_Allreduce remains the library's"));
  }
}

void Plugin::start() {
  compare_settings(settings_of(*this));
  with_all_ranks = true;
  if (algorithm.empty() && takes_gpu_memory()) {
    rules.clear();
    shares = false;
    say_once(
        "this MPI library takes memory of GPUs, which libarlab_mpi cannot read: collectives remain "
        "the library's; for a program that gives memory of hosts only, set ARLAB_ALGORITHM=auto");
  }
  if (shares) machine = machine_of_job();
}

// Ranks that called nothing come here as well, so that all may speak of it together.
void Plugin::end() const {
  std::vector<Calls> of_ranks;
  if (with_all_ranks)
    for (const std::string& text : gather_texts(written(log.calls())))
      of_ranks.push_back(read_calls(text));
  else
    of_ranks.push_back(log.calls());
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  const JobLog job = merged(of_ranks);
  if (!profile.empty()) write_profile(*this, job);
  if (reports) std::fprintf(stderr, "%s", report_of(job).c_str());
}

Plugin& plugin() {
  static Plugin the_plugin;
  return the_plugin;
}

}  // namespace arlab::collectives
