// NcclComm: one rank's communicator of NCCL.
//
// Nothing blocks forever: the communicator is non-blocking, its asynchronous errors are polled, and
// it is aborted on the first error or after `patience`.
#pragma once

#include <nccl.h>

#include <future>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

class NcclComm {
 public:
  /// Connects the ranks of `control`, each with its device. All call it together. Throws
  /// Error(environment) with NCCL's text, or after `to_start`; later calls throw after `patience`.
  NcclComm(Communicator& control, Device& device, RankExecutor::Seconds patience,
           RankExecutor::Seconds to_start);
  ~NcclComm();
  NcclComm(const NcclComm&) = delete;
  NcclComm& operator=(const NcclComm&) = delete;

  /// Calls add(comm, check) between the start and the end of a group, and waits until NCCL has set
  /// it up: the stream then performs it. `check` takes the code of each call and its name.
  template <class Add>
  void group(const char* doing, Add add) {
    finish(ncclGroupStart(), "ncclGroupStart");
    add(comm_, [this](ncclResult_t code, const char* call) { finish_later(code, call); });
    finish(ncclGroupEnd(), doing);
  }

  /// The same for one call, which NCCL refuses with ncclInvalidUsage if it cannot run it by the
  /// choice in the environment now. Returns whether it can. If not, the communicator is aborted.
  template <class Call>
  bool accepts(const char* doing, Call call) {
    finish(ncclGroupStart(), "ncclGroupStart");
    const ncclResult_t code = call(comm_), end = ncclGroupEnd();
    const bool added = code == ncclSuccess || code == ncclInProgress;
    const ncclResult_t settled = settle(added ? end : code, doing);
    if (settled == ncclInvalidUsage) {
      abort();
      return false;
    }
    if (settled != ncclSuccess) give_up(settled, doing);
    return true;
  }

  /// Calls use(comm), and waits until NCCL has done what it asks. It may be in progress also after
  /// success: so does ncclCommWindowRegister of NCCL 2.28.
  template <class Use>
  void call(const char* doing, Use use) {
    const ncclResult_t code = use(comm_);
    finish(code == ncclSuccess ? state(doing) : code, doing);
  }
  ncclComm_t handle() const { return comm_; }  ///< null: aborted

  /// Throws NCCL's asynchronous error.
  void check();
  /// Cancels all messages in progress. Later calls throw. NCCL keeps the communicator's windows
  /// until all graphs that have its messages are destroyed: wait_for_abort().
  void abort();
  /// Waits until NCCL has ended an aborted communicator, or for some seconds at most.
  void wait_for_abort() const;

 private:
  [[noreturn]] void give_up(ncclResult_t code, const char* doing);
  ncclResult_t state(const char* doing);
  ncclResult_t settle(ncclResult_t code, const char* doing);
  void finish(ncclResult_t code, const char* doing);
  void finish_later(ncclResult_t code, const char* doing);

  Rank rank_;
  int gpu_;
  RankExecutor::Seconds patience_;
  ncclComm_t comm_ = nullptr;
  std::future<void> aborted_;  // once aborted: when NCCL has ended it
};

}  // namespace arlab::collectives
