#include "collectives/nccl/nccl_comm.hpp"

#include <array>
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
    : rank_(control.rank()), patience_(to_start) {
  const ncclUniqueId id = shared_id(control);
  cuda::use_device(cuda::index_of(device));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  finish(ncclCommInitRankConfig(&comm_, control.ranks(), id, rank_, &config),
         "ncclCommInitRankConfig");
  patience_ = patience;
}

NcclComm::~NcclComm() {
  if (!comm_) return;
  try {
    if (std::uncaught_exceptions() > 0) {  // peers may never come
      ncclCommAbort(comm_);
      return;
    }
    finish(ncclCommFinalize(comm_), "ncclCommFinalize");
    ncclCommDestroy(comm_);
  } catch (const Error&) {  // finish() has aborted it
  }
}

void NcclComm::check() {
  if (const ncclResult_t now = state("a message"); now != ncclSuccess && now != ncclInProgress)
    give_up(now, "a message");
}

void NcclComm::abort() {
  if (comm_) ncclCommAbort(std::exchange(comm_, nullptr));
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
