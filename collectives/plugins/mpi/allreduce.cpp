// libarlab_mpi: MPI_Allreduce of an unmodified program, by algorithms of the catalog.
//
// Preloaded, it takes the program's calls before the MPI library does, from C and Fortran. What it does
// not know (derived types, operations of users, intercommunicators), and what the settings leave to the
// library, it passes on. All ranks of a call have the same type, count, operation and communicator, so
// all decide alike.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/files/output_file.hpp"
#include "collectives/plugins/mpi/call_log.hpp"
#include "collectives/plugins/mpi/ranks.hpp"
#include "collectives/plugins/size_rules.hpp"

namespace arlab::collectives {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// On one rank, and each text once.
void say_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  if (world_rank() != 0) return;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) std::fprintf(stderr, "arlab: %s\n", printable(text).c_str());
}

bool is_on(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && *text != '\0' && std::string(text) != "0";
}

int end_of_job(MPI_Comm, int, void*, void*);

// From the environment, when the first allreduce is called.
struct Plugin {
  Plugin() {
    const char* const text = std::getenv("ARLAB_ALGORITHM");
    const char* const file = std::getenv("ARLAB_PROFILE");
    if (file) profile = file;
    reports = is_on("ARLAB_REPORT");
    logs = reports || !profile.empty();
    if (logs) at_end_of_job();
    if (!text || *text == '\0') {
      if (!logs)
        say_once(
            "ARLAB_ALGORITHM is not set, so MPI_Allreduce remains the library's: set it, for "
            "example "
            "to butterfly@16K,ring");
      return;
    }
    try {
      rules = read_rank_rules(text, "ARLAB_ALGORITHM");
      const auto is_library = [](const RankRule& rule) {
        return std::all_of(rule.sizes.begin(), rule.sizes.end(),
                           [](const SizeRule& size) { return !size.algorithm; });
      };
      if (std::all_of(rules.begin(), rules.end(), is_library)) rules.clear();  // decides faster
    } catch (const std::exception& error) {
      say_once(concat(error.what(), "; MPI_Allreduce remains the library's"));
    }
  }

  // MPI_Finalize frees MPI_COMM_SELF first, also when Fortran calls it.
  void at_end_of_job() {
    int keyval = MPI_KEYVAL_INVALID;
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_job, &keyval, nullptr) == MPI_SUCCESS)
      MPI_Comm_set_attr(MPI_COMM_SELF, keyval, this);
  }

  RankRules rules;
  bool logs = false, reports = false;
  std::string profile;
  CallLog log;
};

Plugin& plugin() {
  static Plugin the_plugin;
  return the_plugin;
}

std::vector<double> over_ranks(const std::vector<double>& mine, MPI_Op op) {
  std::vector<double> all(mine.size());
  PMPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, 0,
              MPI_COMM_WORLD);
  return all;
}

void write_profile(const Plugin& its) {
  const auto calls = its.log.calls();
  std::vector<double> seconds;
  for (const auto& [kind, count] : calls) seconds.push_back(count.seconds);
  // Ranks that called other sizes, on communicators of their own, cannot be compared.
  Count kinds[2] = {static_cast<Count>(calls.size()), -static_cast<Count>(calls.size())};
  PMPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  const bool alike = kinds[0] == -kinds[1];
  const auto least = alike ? over_ranks(seconds, MPI_MIN) : seconds;
  const auto most = alike ? over_ranks(seconds, MPI_MAX) : seconds;
  if (world_rank() != 0) return;
  const std::string text = profile_of(calls, least, most);
  const std::string_view pieces[] = {text};
  try {
    write_atomically(its.profile, pieces);
  } catch (const Error& error) {
    std::fprintf(stderr, "arlab: ARLAB_PROFILE: %s\n", printable(error.what()).c_str());
  }
}

int end_of_job(MPI_Comm, int, void*, void*) {
  const Plugin& its = plugin();
  if (!its.profile.empty()) write_profile(its);
  if (its.reports && world_rank() == 0) {
    const std::string text = report_of(its.log.calls());
    std::fprintf(stderr, "%s", text.c_str());
  }
  return MPI_SUCCESS;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What ran instead of an algorithm of ours, and why.
constexpr const char* kByChoice = "mpi";

struct Call {
  const void* from;
  void* into;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;

  int pass_on() const { return PMPI_Allreduce(from, into, count, type, op, comm); }
  int ranks() const {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    return ranks;
  }
};

// The algorithm to run, and its ranks; none if the library runs.
struct Decision {
  const Algorithm* algorithm = nullptr;
  PluginRanks* ranks = nullptr;
  Operand operand;
  const char* why = kByChoice;
  bool lasts = true;  // until a communicator is freed that forget_when_freed() knows
};

Decision decide(const Plugin& its, const Call& call) {
  Decision d;
  if (its.rules.empty() || call.comm == MPI_COMM_NULL) return d;
  if (call.count <= 0) return d.why = "mpi: no elements", d;
  // Predefined types and operations are never freed, so that no other handle becomes one of them.
  const auto operand = operand_of(call.type, call.op);
  if (!operand) return d.why = "mpi: another type or operation", d;
  d.operand = *operand;
  const Algorithm* const algorithm =
      chosen(rules_for(its.rules, call.ranks()),
             Bytes{call.count} * static_cast<Bytes>(size_of(operand->dtype)));
  if (!algorithm) {
    if (its.rules.size() > 1)
      forget_when_freed(call.comm);  // its handle may become one of other ranks
    return d;
  }
  d.ranks = plugin_ranks(call.comm);
  if (!d.ranks) return d.why = "mpi: an intercommunicator", d.lasts = false, d;
  if (const std::string why = d.ranks->why_not(*algorithm, call.count); !why.empty()) {
    say_once(concat(why, ": MPI_Allreduce is the library's there"));
    return d.why = "mpi: not on these ranks", d;
  }
  d.algorithm = algorithm;
  return d;
}

// Decisions of this thread, which programs repeat: a cache line each, found by the count. Without an algorithm, the
// library runs. What is kept here costs a repeated call a few comparisons (docs/plugins.md has them counted).
struct alignas(64) Known {
  std::uint64_t freed = 0;
  int count = -1;
  Operand operand;
  MPI_Datatype type{};
  MPI_Op op{};
  MPI_Comm comm{};
  const Algorithm* algorithm = nullptr;
  PluginRanks* ranks = nullptr;
};
constexpr unsigned kKnown = 8;
// Preloaded libraries may use the fast model, which saves a call.
[[gnu::tls_model("initial-exec")]] constinit thread_local Known all_known[kKnown];

Known& known_at(int count) {
  const auto bits = static_cast<unsigned>(count);
  return all_known[(bits ^ bits >> 3) % kKnown];
}

bool is_of(const Known& known, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return known.count == count && known.type == type && known.op == op && known.comm == comm &&
         known.freed == communicators_freed();
}

int run(const Decision& d, const Call& call) {
  if (!d.algorithm) return call.pass_on();
  const bool in_place = call.from == MPI_IN_PLACE;
  d.ranks->allreduce(*d.algorithm, in_place ? nullptr : static_cast<const std::byte*>(call.from),
                     static_cast<std::byte*>(call.into), call.count, d.operand);
  return MPI_SUCCESS;
}

int run_logged(Plugin& its, const Call& call) {
  const double start = now();
  const Decision d = decide(its, call);
  const int code = run(d, call);
  const double seconds = now() - start;
  int size = 0;
  MPI_Type_size(call.type, &size);
  const auto operand = operand_of(call.type, call.op);
  its.log.add({.ranks = call.ranks(),
               .bytes = Bytes{call.count} * size,
               .type = operand ? std::string(name(operand->dtype)) : "",
               .op = operand ? std::string(name(operand->op)) : "",
               .ran = d.algorithm ? std::string(d.algorithm->name) : d.why},
              seconds);
  return code;
}

int allreduce(const Call& call) {
  Known& known = known_at(call.count);
  if (is_of(known, call.count, call.type, call.op, call.comm))  // of an algorithm
    return run({known.algorithm, known.ranks, known.operand}, call);
  Plugin& its = plugin();
  if (its.logs && call.comm != MPI_COMM_NULL) return run_logged(its, call);
  const std::uint64_t freed = communicators_freed();
  const Decision d = decide(its, call);
  if (d.lasts)
    known = {freed, call.count, d.operand, call.type, call.op, call.comm, d.algorithm, d.ranks};
  return run(d, call);
}

// Errors end here: MPI's callers have no exceptions.
[[gnu::noinline]] int allreduce_or_error(const Call& call) {
  try {
    return allreduce(call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "arlab: MPI_Allreduce: %s\n", printable_message(error.what()).c_str());
    MPI_Comm_call_errhandler(call.comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
}

}  // namespace
}  // namespace arlab::collectives

// Open MPI declares it visible, MPICH does not.
extern "C" [[gnu::visibility("default")]] int MPI_Allreduce(const void* from, void* into, int count,
                                                            MPI_Datatype type, MPI_Op op,
                                                            MPI_Comm comm) {
  using namespace arlab::collectives;
  const Known& known = known_at(count);
  if (is_of(known, count, type, op, comm) && !known.algorithm) [[likely]]
    return PMPI_Allreduce(from, into, count, type, op,
                          comm);  // its arguments are in their registers still
  return allreduce_or_error({from, into, count, type, op, comm});
}

#ifdef OPEN_MPI
// Open MPI's Fortran bindings call PMPI_Allreduce, so that they need entries of their own: of mpif.h and
// `use mpi`, and of `use mpi_f08`, whose last argument may be absent.
extern "C" {
extern int mpi_fortran_in_place_;

[[gnu::visibility("default")]] void mpi_allreduce_(const void* from, void* into,
                                                   const MPI_Fint* count, const MPI_Fint* type,
                                                   const MPI_Fint* op, const MPI_Fint* comm,
                                                   MPI_Fint* error) {
  const int code = MPI_Allreduce(from == &mpi_fortran_in_place_ ? MPI_IN_PLACE : from, into,
                                 static_cast<int>(*count), MPI_Type_f2c(*type), MPI_Op_f2c(*op),
                                 MPI_Comm_f2c(*comm));
  if (error) *error = code;
}

[[gnu::visibility("default")]] void mpi_allreduce_f08_(const void* from, void* into,
                                                       const MPI_Fint* count, const MPI_Fint* type,
                                                       const MPI_Fint* op, const MPI_Fint* comm,
                                                       MPI_Fint* error) {
  mpi_allreduce_(from, into, count, type, op, comm, error);
}
}
#endif
