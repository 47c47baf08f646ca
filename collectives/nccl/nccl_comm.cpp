#include "collectives/nccl/nccl_comm.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"

namespace arlab::collectives {
namespace {

// Of an abort: what NCCL needs where no graph is left, and where the last one has just ended.
constexpr std::chrono::seconds kWithoutGraphs{1}, kWithGraphs{10};

/// Shares rank 0's id with all ranks, as a sum to which the others add zero.
ncclUniqueId shared_id(Communicator& control) {
  static_assert(sizeof(ncclUniqueId) % sizeof(Count) == 0);
  std::array<Count, sizeof(ncclUniqueId) / sizeof(Count)> words{};
  ncclUniqueId id{};
  ncclResult_t made = ncclSuccess;
  if (control.rank() == 0) {
    made = ncclGetUniqueId(&id);
    std::memcpy(words.data(), &id, sizeof(id));
  }
  // A failure is reported to all ranks, so that none waits for an id forever.
  if (control.max(made == ncclSuccess ? 0 : 1) > 0)
    fail(Blame::environment, std::string("NCCL failed in ncclGetUniqueId: ") +
                                 (made == ncclSuccess ? "on rank 0" : ncclGetLastError(nullptr)));
  for (Count& word : words) word = control.sum(word);
  std::memcpy(&id, words.data(), sizeof(id));
  return id;
}

}  // namespace

NcclComm::NcclComm(Communicator& control, Device& device, RankExecutor::Seconds patience,
                   RankExecutor::Seconds to_start)
    : rank_(control.rank()), gpu_(cuda::index_of(device)), patience_(to_start) {
  const ncclUniqueId id = shared_id(control);
  cuda::use_device(gpu_);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  finish(ncclCommInitRankConfig(&comm_, control.ranks(), id, rank_, &config),
         "ncclCommInitRankConfig");
  patience_ = patience;
}

NcclComm::~NcclComm() {
  if (std::uncaught_exceptions() > 0) abort();  // peers may never come
  try {
    if (comm_) {
      finish(ncclCommFinalize(comm_), "ncclCommFinalize");
      ncclCommDestroy(comm_);
    }
  } catch (const Error&) {  // finish() has aborted it
  }
  wait_for_abort();
}

void NcclComm::check() {
  if (const ncclResult_t now = state("a message"); now != ncclSuccess && now != ncclInProgress)
    give_up(now, "a message");
}

// ncclCommAbort first ends what runs on the GPU, and then waits until the last graph that has the
// communicator's messages is destroyed. So it has a thread of its own: the caller destroys them.
void NcclComm::abort() {
  if (!comm_) return;
  std::packaged_task<void()> task([comm = std::exchange(comm_, nullptr), gpu = gpu_] {
    cudaSetDevice(gpu);
    ncclCommAbort(comm);
  });
  aborted_ = task.get_future();
  std::thread(std::move(task)).detach();  // an end of the program does not wait for NCCL
  aborted_.wait_for(kWithoutGraphs);
}

void NcclComm::wait_for_abort() const {
  if (aborted_.valid()) aborted_.wait_for(kWithGraphs);
}

void NcclComm::give_up(ncclResult_t code, const char* doing) {
  std::string text = std::string("NCCL failed in ") + doing + " on rank " + std::to_string(rank_) +
                     ": " + ncclGetErrorString(code);
  if (const char* const last = ncclGetLastError(comm_); last && *last)
    text += std::string(", ") + last;
  if (code == ncclInvalidUsage)
    text += " (ranks that share a GPU are refused, unless each process has its own NCCL_HOSTID)";
  else
    text += " (set NCCL_DEBUG=INFO for details)";
  abort();
  fail(Blame::environment, text);
}

/// Returns NCCL's asynchronous state: ncclInProgress until all requested calls are set up.
ncclResult_t NcclComm::state(const char* doing) {
  if (!comm_) fail(Blame::environment, std::string("NCCL was aborted before ") + doing);
  ncclResult_t now = ncclSuccess;
  const ncclResult_t code = ncclCommGetAsyncError(comm_, &now);
  return code == ncclSuccess ? now : code;
}

/// Waits until the call is no longer in progress, and returns its result.
ncclResult_t NcclComm::settle(ncclResult_t code, const char* doing) {
  const auto start = std::chrono::steady_clock::now();
  while (code == ncclInProgress && (code = state(doing)) == ncclInProgress) {
    if (std::chrono::steady_clock::now() - start > patience_) {
      abort();
      fail(Blame::environment, std::string(doing) + " on rank " + std::to_string(rank_) +
                                   " has waited for " +
                                   std::to_string(static_cast<int>(patience_.count())) +
                                   " s: is another rank stuck or gone?");
    }
    std::this_thread::yield();
  }
  return code;
}

void NcclComm::finish(ncclResult_t code, const char* doing) {
  if (const ncclResult_t end = settle(code, doing); end != ncclSuccess) give_up(end, doing);
}

void NcclComm::finish_later(ncclResult_t code, const char* doing) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  ncclGroupEnd();  // a failed group must be closed, too
  give_up(code, doing);
}

}  // namespace arlab::collectives
