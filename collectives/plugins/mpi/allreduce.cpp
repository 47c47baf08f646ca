// libarlab_mpi: MPI_Allreduce of an unmodified program, by algorithms of the catalog.
//
// Preloaded, it takes the program's calls before the MPI library does, from C and Fortran. Ranks of
// one machine may use shared memory instead of an algorithm, and those of several go by level. What
// the drop-in library does not know (derived types, operations of users, intercommunicators,
// buffers that the library refuses), and what the settings leave to the library, it passes on. All
// ranks of a call have the same type, count, operation and communicator, and since MPI_Init the
// same settings, so all decide alike.
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/plugins/mpi/call_log.hpp"
#include "collectives/plugins/mpi/plugin.hpp"
#include "collectives/plugins/mpi/ranks.hpp"
#include "collectives/plugins/mpi/reductions.hpp"
#include "collectives/plugins/mpi/shared_ranks.hpp"
#include "collectives/plugins/size_rules.hpp"

namespace arlab::collectives {
namespace {

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

// The algorithm to run, and its ranks; or the ranks that share memory, on one machine or on
// several; none if the library runs.
struct Decision {
  const Algorithm* algorithm = nullptr;
  PluginRanks* ranks = nullptr;
  StepCollectives* steps = nullptr;
  Levels* levels = nullptr;
  Operand operand;
  const char* why = kByChoice;
  bool is_ours() const { return algorithm || steps || levels; }
  bool lasts = true;  // until a communicator is freed that forget_when_freed() knows
};

// What the library refuses, it shall refuse; a null pointer is MPI_BOTTOM, whose elements lie at
// address 0.
bool has_odd_buffers(const Call& call) {
  return !call.from || !call.into || call.into == MPI_IN_PLACE || call.from == call.into;
}

Decision decide(const Plugin& its, const Call& call) {
  Decision d;
  if (its.rules.empty() || call.comm == MPI_COMM_NULL) return d;
  if (call.count <= 0) return d.why = "mpi: no elements", d;
  // Predefined types and operations are never freed, so that no other handle becomes one of them.
  const auto reduction = local_reduction(call.type, call.op);
  if (!reduction) return d.why = "mpi: another type or operation", d;
  if (has_odd_buffers(call)) return d.why = "mpi: null, same, or wrong buffers", d.lasts = false, d;
  const Bytes bytes = Bytes{call.count} * static_cast<Bytes>(reduction->element_bytes);
  const SizeRule& rule = rule_for(rules_for(its.rules, call.ranks()), bytes);
  if (rule.shared != SharedUse::never) {
    const SharedRanks sharing = shared_ranks_for(SharedCall::allreduce, call.comm, bytes);
    d.steps = sharing.steps;
    d.levels = sharing.levels;
    d.why = sharing.why;
    d.lasts = sharing.lasts;
    return d;
  }
  const Algorithm* const algorithm = rule.algorithm;
  if (algorithm && !reduction->operand) return d.why = "mpi: another type or operation", d;
  if (!algorithm) {
    if (its.rules.size() > 1)
      forget_when_freed(call.comm);  // its handle may become one of other ranks
    return d;
  }
  d.operand = *reduction->operand;
  d.ranks = plugin_ranks(call.comm);
  if (!d.ranks) {
    forget_when_freed(call.comm);
    int inter = 0;
    PMPI_Comm_test_inter(call.comm, &inter);
    return d.why = inter != 0 ? kIntercommunicator : kSeveralJobs, d;
  }
  if (const std::string why = d.ranks->why_not(*algorithm, call.count); !why.empty()) {
    say_once(concat(why, ": MPI_Allreduce is the library's there"));
    return d.why = "mpi: not on these ranks", d;
  }
  d.algorithm = algorithm;
  return d;
}

// Decisions of this thread, which programs repeat: a cache line each, found by the count. Without
// an algorithm, the library runs. What is kept here costs a repeated call a few comparisons
// (docs/reference/plugins.md has them counted).
struct alignas(64) Known {
  std::uint64_t freed = 0;
  int count = -1;
  Operand operand;
  MPI_Datatype type{};
  MPI_Op op{};
  MPI_Comm comm{};
  const Algorithm* algorithm = nullptr;
  void* ranks = nullptr;  // PluginRanks of an algorithm, Levels, StepCollectives; null: the library
  bool by_level = false;
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
  if (!d.is_ours()) return call.pass_on();
  const std::byte* const from =
      call.from == MPI_IN_PLACE ? nullptr : static_cast<const std::byte*>(call.from);
  const auto into = static_cast<std::byte*>(call.into);
  if (d.algorithm) {
    d.ranks->allreduce(*d.algorithm, from, into, call.count, d.operand);
  } else {
    const auto reduction = local_reduction(call.type, call.op);
    if (d.levels)
      d.levels->allreduce(from, into, call.count, *reduction);
    else
      d.steps->allreduce(from, into, static_cast<std::size_t>(call.count), reduction->in_steps());
  }
  return MPI_SUCCESS;
}

int run_known(const Known& known, const Call& call) {
  Decision d;
  d.algorithm = known.algorithm;
  d.operand = known.operand;
  if (known.algorithm)
    d.ranks = static_cast<PluginRanks*>(known.ranks);
  else if (known.by_level)
    d.levels = static_cast<Levels*>(known.ranks);
  else
    d.steps = static_cast<StepCollectives*>(known.ranks);
  return run(d, call);
}

int run_logged(Plugin& its, const Call& call) {
  const double start = now();
  const Decision d = decide(its, call);
  const int code = run(d, call);
  const double seconds = now() - start;
  if (call.count < 0) return code;  // the library refused it: it has no bytes to count
  int size = 0;
  MPI_Type_size(call.type, &size);
  const auto operand = operand_of(call.type, call.op);
  its.log.add({.ranks = call.ranks(),
               .bytes = Bytes{call.count} * size,
               .type = operand ? std::string(name(operand->dtype)) : "",
               .op = operand ? std::string(name(operand->op)) : "",
               .ran = d.algorithm ? std::string(d.algorithm->name)
                      : d.steps   ? "shared memory"
                      : d.levels  ? "by level"
                                  : d.why},
              seconds);
  return code;
}

int allreduce(const Call& call) {
  Known& known = known_at(call.count);
  if (is_of(known, call.count, call.type, call.op, call.comm) && !has_odd_buffers(call))
    return run_known(known, call);
  Plugin& its = plugin();
  if (its.logs && call.comm != MPI_COMM_NULL) return run_logged(its, call);
  const std::uint64_t freed = communicators_freed();
  const Decision d = decide(its, call);
  if (d.lasts) {
    void* const ranks = d.algorithm ? static_cast<void*>(d.ranks)
                        : d.levels  ? static_cast<void*>(d.levels)
                                    : d.steps;
    known = {freed,     call.count,  d.operand, call.type,          call.op,
             call.comm, d.algorithm, ranks,     d.levels != nullptr};
  }
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
  if (is_of(known, count, type, op, comm) && !known.ranks) [[likely]]
    return PMPI_Allreduce(from, into, count, type, op,
                          comm);  // its arguments are in their registers still
  return allreduce_or_error({from, into, count, type, op, comm});
}

extern "C" [[gnu::visibility("default")]] int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) arlab::collectives::plugin().start();
  return code;
}

extern "C" [[gnu::visibility("default")]] int MPI_Init_thread(int* argc, char*** argv, int required,
                                                              int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) arlab::collectives::plugin().start();
  return code;
}
