// NCCL's calls: communicators, and groups of calls.
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/fakes/cuda/comm.hpp"

using namespace arlab::fake_cuda;

namespace arlab::fake_cuda {
namespace {

thread_local int group_depth = 0;
thread_local std::vector<Call> group_calls;

std::map<std::string, std::shared_ptr<Clique>>& cliques() {
  static auto* const all = new std::map<std::string, std::shared_ptr<Clique>>;
  return *all;
}

/// The communicator, used by this thread; null if it cannot be used.
Comm* use(Comm* comm, const char* call) {
  if (comm && comm->is_alive && !comm->is_aborted) {
    comm->thread = std::this_thread::get_id();
    return comm;
  }
  machine().complain(std::string(call) + " of a communicator that was destroyed");
  return nullptr;
}

bool is_set_up(const Comm& comm) { return comm.clique->joined == comm.clique->comms.size(); }

/// A step of the thread that NCCL starts for a call of a communicator that does not block.
void advance(Comm& comm) {
  if (!comm.is_busy() || comm.polls-- > 0) return;
  if (comm.registration) return std::exchange(comm.registration, nullptr)();
  comm.in_progress.front().stream->held_by.clear();
  enqueue_group(comm, std::exchange(comm.in_progress, {}));
}

ncclResult_t end_group() {
  Machine& m = machine();
  const std::vector<Call> calls = std::exchange(group_calls, {});
  bool later = false;
  std::vector<Comm*> comms;
  for (const Call& call : calls)
    if (std::find(comms.begin(), comms.end(), call.comm) == comms.end()) comms.push_back(call.comm);
  for (Comm* comm : comms) {
    std::vector<Call> its;
    for (const Call& call : calls)
      if (call.comm == comm) its.push_back(call);
    if (comm->is_busy()) {
      m.complain("a call on a communicator whose last one is still in progress");
      return ncclInvalidUsage;
    }
    const auto runs = [&](const Call& call) { return runs_choice(*comm, call); };
    if (!std::all_of(its.begin(), its.end(), runs)) {
      comm->error = refusal();
      if (comm->is_blocking) return comm->error;
      later = true;
      continue;
    }
    if (comm->is_blocking) {
      enqueue_group(*comm, its);
      continue;
    }
    comm->in_progress = its;
    comm->polls = static_cast<int>(m.random() % 4) - 1;
    its.front().stream->held_by = "a call of NCCL";
    advance(*comm);
    later = later || !comm->in_progress.empty();
  }
  return later ? ncclInProgress : ncclSuccess;
}

/// Ends this rank's messages in progress; those of its peers wait for ever, or until they abort,
/// too.
void withdraw(Comm& comm) {
  if (!comm.in_progress.empty()) comm.in_progress.front().stream->held_by.clear();
  comm.in_progress.clear();
  const auto withdraw_from = [&](auto& offers) {
    std::erase_if(offers, [&](const Offer& offer) {
      if (offer.call.comm != &comm) return false;
      if (!offer.posted->task->done) finish(*offer.posted->task);
      return true;
    });
  };
  for (auto& [pair, offers] : comm.clique->sends) withdraw_from(offers);
  for (auto& [pair, offers] : comm.clique->receives) withdraw_from(offers);
  for (auto& [number, offers] : comm.clique->collectives) withdraw_from(offers);
}

/// Waits until no executable graph has the communicator's groups. NCCL waits for ever.
void wait_for_graphs(std::unique_lock<std::mutex>& lock, const Comm& comm, const char* call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (*comm.graphs > 0 && std::chrono::steady_clock::now() < end) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
  if (*comm.graphs > 0)
    machine().complain(std::string(call) +
                       " of a communicator that graphs still use: it waits for them for ever");
}

ncclResult_t add(Call call, cudaStream_t handle, const char* name) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (m.broken) return ncclUnhandledCudaError;
  Comm* const comm = use(call.comm, name);
  if (!comm) return ncclInvalidArgument;
  call.stream = find_stream(handle, name);
  if (!call.stream) return ncclInvalidArgument;
  const int ranks = static_cast<int>(comm->clique->comms.size());
  if (!is_set_up(*comm) || comm->registration || call.stream->device != comm->device ||
      call.peer < 0 || call.peer >= ranks) {
    m.complain(
        std::string(name) +
        ": the communicator is not set up, in the midst of a call, on another device, or lacks "
        "the peer");
    return ncclInvalidArgument;
  }
  if (is_float8(call.type) && m.options.capability < 90)
    return ncclInvalidArgument;  // as NCCL 2.27; later versions move them
  group_calls.push_back(call);
  m.counted.lone_calls += group_depth > 0 ? 0 : 1;
  return group_depth > 0 ? ncclSuccess : end_group();
}

}  // namespace
}  // namespace arlab::fake_cuda

ncclResult_t ncclGetVersion(int* version) {
  *version = 10000 * NCCL_MAJOR + 100 * NCCL_MINOR + NCCL_PATCH;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard lock(machine().mutex);
  static long last = 0;
  const std::string text = "stand-in " + std::to_string(++last);
  std::memset(id->internal, 0, sizeof(id->internal));
  std::memcpy(id->internal, text.data(), text.size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  Machine& m = machine();
  std::unique_lock lock(m.mutex);
  *comm = nullptr;
  auto& clique = cliques()[id.internal];
  if (!clique) clique = std::make_shared<Clique>();
  clique->comms.resize(static_cast<std::size_t>(ranks));
  for (const Comm* other : clique->comms)
    if (other && other->device == current_device()) return ncclInvalidUsage;  // duplicate GPU
  Comm* const made_comm = *comm = made<Comm>("communicators");
  made_comm->clique = clique;
  made_comm->rank = rank;
  made_comm->device = current_device();
  made_comm->is_blocking = config->blocking != 0;
  made_comm->thread = std::this_thread::get_id();
  clique->comms[static_cast<std::size_t>(rank)] = made_comm;
  ++clique->joined;
  for (const Comm* other : clique->comms) {  // NCCL lets the GPUs of a process read one another
    if (!other || other == made_comm || !m.options.peers) continue;
    m.peers.insert({other->device, made_comm->device});
    m.peers.insert({made_comm->device, other->device});
  }
  changed();
  const auto set_up = [&] { return is_set_up(*made_comm); };
  if (!made_comm->is_blocking && !set_up()) return ncclInProgress;
  if (!wait_until(lock, set_up, "ncclCommInitRankConfig")) return ncclUnhandledCudaError;
  read_choice(*made_comm);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* state) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  *state = ncclInternalError;
  Comm* const comm = use(handle, "ncclCommGetAsyncError");
  if (!comm) return ncclInvalidArgument;
  if (is_set_up(*comm)) read_choice(*comm);  // its thread reads the environment as late as that
  advance(*comm);
  *state = m.broken                               ? ncclUnhandledCudaError
           : !is_set_up(*comm) || comm->is_busy() ? ncclInProgress
                                                  : comm->error;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  const std::lock_guard lock(machine().mutex);
  Comm* const comm = use(handle, "ncclCommFinalize");
  if (!comm) return ncclInvalidArgument;
  if (comm->is_busy())
    machine().complain("a communicator is finalized while a call is in progress");
  comm->is_final = true;
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  std::unique_lock lock(machine().mutex);
  if (handle && handle->is_alive) wait_for_graphs(lock, *handle, "ncclCommDestroy");
  return unmade(handle, "communicators") ? ncclSuccess : ncclInvalidArgument;
}

// The work on the device ends at once, the communicator and its windows after its last graph.
ncclResult_t ncclCommAbort(ncclComm_t handle) {
  std::unique_lock lock(machine().mutex);
  if (!unmade(handle, "communicators")) return ncclInvalidArgument;
  handle->is_aborted = true;
  withdraw(*handle);
  wait_for_graphs(lock, *handle, "ncclCommAbort");
  end_windows(*handle);
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclInvalidUsage ? "invalid usage"
         : code == ncclSuccess    ? "no error"
                                  : "an error of the stand-in";
}
const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  const std::lock_guard lock(machine().mutex);
  if (group_depth == 0) return ncclInvalidUsage;
  return --group_depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::send, data, nullptr, count, type, ncclSum, peer, comm, nullptr}, stream,
             "ncclSend");
}
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add({Kind::receive, nullptr, data, count, type, ncclSum, peer, comm, nullptr}, stream,
             "ncclRecv");
}
ncclResult_t ncclAllReduce(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::all_reduce, from, into, count, type, op, 0, comm, nullptr}, stream,
             "ncclAllReduce");
}
ncclResult_t ncclReduceScatter(const void* from, void* into, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::reduce_scatter, from, into, count, type, op, 0, comm, nullptr}, stream,
             "ncclReduceScatter");
}
ncclResult_t ncclAllGather(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::all_gather, from, into, count, type, ncclSum, 0, comm, nullptr}, stream,
             "ncclAllGather");
}
ncclResult_t ncclReduce(const void* from, void* into, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::reduce, from, into, count, type, op, root, comm, nullptr}, stream,
             "ncclReduce");
}
ncclResult_t ncclBroadcast(const void* from, void* into, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return add({Kind::broadcast, from, into, count, type, ncclSum, root, comm, nullptr}, stream,
             "ncclBroadcast");
}
