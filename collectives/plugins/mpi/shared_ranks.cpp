#include "collectives/plugins/mpi/shared_ranks.hpp"

#include <sched.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/plugins/mpi/machine.hpp"
#include "collectives/plugins/mpi/plugin.hpp"
#include "collectives/plugins/mpi/ranks.hpp"
#include "collectives/shm/shared_memory.hpp"

namespace arlab::collectives {
namespace {

constexpr Rank kMostSharing = 128;
// Calls, or bytes of calls, after which the memory of a communicator pays.
constexpr int kFirstCalls = 4;
constexpr Bytes kFirstBytes = 64 << 10;

struct SharedState {
  std::unique_ptr<SharedMemory> memory;
  std::optional<StepCollectives> steps;
  int calls = 0;
  Bytes bytes = 0;
  const char* why = "mpi: the first calls on a communicator";
  bool decided = false;
};

int delete_shared(MPI_Comm, int, void* value, void*) {
  ++freed_communicators;
  delete static_cast<SharedState*>(value);
  return MPI_SUCCESS;
}

// While a rank waits in shared memory, its other messages must go on: the rank that it waits for
// may wait for them.
void rest_with_progress(void*, unsigned) {
  static thread_local unsigned rests = 0;
  if (rests++ % 8 == 0) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
  sched_yield();
}

bool are_on_one_machine(MPI_Comm comm, std::uint64_t id) {
  std::uint64_t most[2] = {id, ~id};
  check_mpi(PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  return most[0] == ~most[1];
}

StepCollectives steps_in(const SharedMemory& memory, Rank me, Rank ranks, bool crowded) {
  const StepWaiting waiting{crowded ? 8 : 2000, rest_with_progress};
  const StepSizes sizes{crowded ? std::size_t{128} << 10 : std::size_t{32} << 10,
                        crowded ? std::size_t{32} << 10 : std::size_t{8} << 10};
  return {SharedSteps(memory.data(), me, ranks, waiting), sizes};
}

// Of a communicator that has had its first calls.
void share(SharedState& its, MPI_Comm comm, Rank ranks) {
  its.decided = true;
  Machine& machine = plugin().machine;
  if (machine.id == 0) machine.id = machine_id();
  if (!are_on_one_machine(comm, machine.id)) {
    its.why = "mpi: several machines";
    return;
  }
  int me = 0;
  check_mpi(MPI_Comm_rank(comm, &me), "MPI_Comm_rank");
  try {
    its.memory = std::make_unique<SharedMemory>(comm, SharedSteps::bytes_for(ranks),
                                                "their collectives are the library's");
    its.steps.emplace(steps_in(*its.memory, me, ranks, machine.crowded));
  } catch (const Error& error) {
    its.why = "mpi: no shared memory";
    say_once(error.what());
  }
}

SharedState* state_of(MPI_Comm comm) {
  static const int keyval = [] {
    int made = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_shared, &made, nullptr),
              "MPI_Comm_create_keyval");
    return made;
  }();
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval, &value, &found), "MPI_Comm_get_attr");
  if (found != 0) return static_cast<SharedState*>(value);
  auto made = std::make_unique<SharedState>();
  check_mpi(MPI_Comm_set_attr(comm, keyval, made.get()), "MPI_Comm_set_attr");
  return made.release();
}

// Of this thread, which programs use again and again.
struct KnownSharing {
  std::uint64_t freed = 0;
  MPI_Comm comm{};
  SharedRanks sharing;
};
constexpr unsigned kKnownSharing = 8;
[[gnu::tls_model(
    "initial-exec")]] constinit thread_local KnownSharing all_known_sharing[kKnownSharing]{};

KnownSharing& known_sharing_at(MPI_Comm comm) {
  const std::size_t bits = std::hash<MPI_Comm>{}(comm);
  return all_known_sharing[(bits >> 4 ^ bits >> 9) % kKnownSharing];
}

SharedRanks decided_sharing(MPI_Comm comm, Bytes bytes) {
  SharedState& its = *state_of(comm);
  if (!its.decided) {
    int inter = 0;
    Rank ranks = 1;
    check_mpi(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    ++its.calls;
    its.bytes += bytes;
    if (inter != 0 || ranks < 2 || ranks > kMostSharing) {
      its.decided = true;
      its.why = inter != 0  ? "mpi: an intercommunicator"
                : ranks < 2 ? "mpi: a single rank"
                            : "mpi: more than 128 ranks";
    } else if (its.calls > kFirstCalls || its.bytes > kFirstBytes) {
      share(its, comm, ranks);
    }
  }
  return {its.steps ? &*its.steps : nullptr, its.why, its.decided};
}

}  // namespace

// Of 2 and 4 ranks on 2 processors (docs/reference/plugins.md). What was not measured to be faster
// is left to the library.
bool is_faster_shared(SharedCall call, Rank ranks, Bytes bytes) {
  constexpr Rank kMeasuredRanks = 4;
  constexpr Bytes kMeasuredBytes = Bytes{1} << 20;
  if (ranks > kMeasuredRanks || bytes > kMeasuredBytes) return false;
  switch (call) {
    case SharedCall::allreduce:
      return true;
    case SharedCall::allgather:
    case SharedCall::reduce_scatter:
      return ranks > 2 && bytes >= 512;
    default:
      return false;
  }
}

SharedRanks shared_ranks(MPI_Comm comm, Bytes bytes) {
  KnownSharing& known = known_sharing_at(comm);
  const std::uint64_t freed = communicators_freed();
  if (known.comm == comm && known.freed == freed) return known.sharing;
  const SharedRanks sharing = decided_sharing(comm, bytes);
  if (sharing.lasts) known = {freed, comm, sharing};
  return sharing;
}

SharedRanks shared_ranks_for(SharedCall call, MPI_Comm comm, Bytes bytes) {
  const Plugin& its = plugin();
  const SharedRanks sharing = shared_ranks(comm, bytes);
  if (!sharing.steps) return sharing;
  const Rank ranks = sharing.steps->ranks();
  const SharedUse use = rule_for(rules_for(its.rules, ranks), bytes).shared;
  const bool is_wanted = use == SharedUse::always ||
                         (use == SharedUse::where_faster && is_faster_shared(call, ranks, bytes));
  return is_wanted ? sharing : SharedRanks{nullptr, "mpi", sharing.lasts};
}

}  // namespace arlab::collectives
