#include "collectives/plugins/mpi/shared_ranks.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/plugins/mpi/machine.hpp"
#include "collectives/plugins/mpi/machine_steps.hpp"
#include "collectives/plugins/mpi/plugin.hpp"
#include "collectives/plugins/mpi/ranks.hpp"

namespace arlab::collectives {
namespace {

// Calls, or bytes of calls, after which the memory of a communicator pays.
constexpr int kFirstCalls = 4;
constexpr Bytes kFirstBytes = 64 << 10;
constexpr const char* kFirst = "mpi: the first calls on a communicator";

struct SharedState {
  std::optional<MachineSteps> machine;  // if all ranks are on it
  std::optional<Levels> levels;         // if they are on several
  int calls = 0;
  Bytes bytes = 0;
  const char* why = kFirst;
  bool decided = false;
};

int delete_shared(MPI_Comm, int, void* value, void*) {
  ++freed_communicators;
  if (!job_ends()) delete static_cast<SharedState*>(value);
  return MPI_SUCCESS;
}

bool are_on_one_machine(MPI_Comm comm, std::uint64_t id) {
  std::uint64_t most[2] = {id, ~id};
  check_mpi(PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  return most[0] == ~most[1];
}

// The machines of the ranks, from 0 in the order of their first ranks.
Groups machines_of(MPI_Comm comm, Rank ranks, std::uint64_t id) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(ranks));
  check_mpi(PMPI_Allgather(&id, 1, MPI_UINT64_T, ids.data(), 1, MPI_UINT64_T, comm),
            "MPI_Allgather");
  std::map<std::uint64_t, std::int32_t> numbers;
  std::vector<std::int32_t> of_rank;
  for (const std::uint64_t its : ids)
    of_rank.push_back(
        numbers.try_emplace(its, static_cast<std::int32_t>(numbers.size())).first->second);
  return Groups(of_rank);
}

// Of a communicator that has had its first calls.
void share(SharedState& its, MPI_Comm comm, Rank ranks) {
  its.decided = true;
  Machine& machine = plugin().machine;
  if (machine.id == 0) machine.id = machine_id();
  const Groups machines = are_on_one_machine(comm, machine.id)
                              ? Groups::consecutive(ranks, ranks)
                              : machines_of(comm, ranks, machine.id);
  its.why = why_not_by_level(machines);
  if (*its.why != '\0') return;
  its.why = "mpi: several machines";  // what does not go by level
  if (machines.count() > 1) {
    its.levels.emplace(comm, machines, machine.crowded);
    return;
  }
  try {
    its.machine.emplace(comm, machine.crowded);
  } catch (const Error& error) {
    its.why = "mpi: no shared memory";
    say_once(error.what(), comm);
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
    its.why = inter != 0                                ? kIntercommunicator
              : ranks < 2                               ? "mpi: a single rank"
              : its.calls == 1 && !is_of_this_job(comm) ? kSeveralJobs
                                                        : kFirst;
    if (its.why != kFirst) {
      its.decided = true;
    } else if (its.calls > kFirstCalls || its.bytes > kFirstBytes) {
      share(its, comm, ranks);
    }
  }
  return {its.machine ? &its.machine->steps : nullptr, its.levels ? &*its.levels : nullptr, its.why,
          its.decided};
}

// By level, if that is wanted always or is faster.
SharedRanks opened(SharedCall call, const SharedRanks& sharing, bool always, Rank ranks,
                   Bytes bytes) {
  Levels& levels = *sharing.levels;
  SharedRanks none{nullptr, nullptr, "mpi: several machines", sharing.lasts};
  const bool has_blocks = call == SharedCall::allgather || call == SharedCall::reduce_scatter;
  if ((has_blocks ? bytes * ranks : bytes) > Levels::kMostBytes) return none;
  if (!always && !is_faster_by_level(call, levels.machines().count(), ranks, bytes)) return none;
  if (!levels.open()) return none.why = "mpi: no shared memory", none;
  if (!always && !levels.has_slow_network()) return none.why = "mpi: a fast network", none;
  return sharing;
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

// Of 4 machines with 2 ranks each, over TCP at 100 Mbit/s and 1 Gbit/s.
bool is_faster_by_level(SharedCall call, Rank machines, Rank ranks, Bytes bytes) {
  constexpr Rank kMeasuredMachines = 4, kMeasuredEach = 2;
  if (machines > kMeasuredMachines || ranks > machines * kMeasuredEach) return false;
  const auto within = [&](Bytes least, Bytes most) { return bytes >= least && bytes <= most; };
  switch (call) {
    case SharedCall::allreduce:
      return within(128 << 10, 16 << 20);
    case SharedCall::bcast:
    case SharedCall::reduce:
      return within(64 << 10, 4 << 20);
    default:
      return within(16 << 10, 256 << 10);  // of a rank's block
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
  if (!sharing.steps && !sharing.levels) return sharing;
  int ranks = 1;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const SharedUse use = rule_for(rules_for(its.rules, ranks), bytes).shared;
  const SharedRanks none{nullptr, nullptr, "mpi", sharing.lasts};
  if (use == SharedUse::never) return none;
  const bool always = use == SharedUse::always;
  if (sharing.levels) return opened(call, sharing, always, ranks, bytes);
  return always || is_faster_shared(call, ranks, bytes) ? sharing : none;
}

}  // namespace arlab::collectives
