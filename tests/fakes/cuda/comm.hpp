// Communicators of the stand-in for NCCL, and the messages in progress between them.
#pragma once

#include <nccl.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/cuda/streams.hpp"

namespace arlab::fake_cuda {

enum class Kind { send, receive, all_reduce, reduce_scatter, all_gather, reduce, broadcast };

/// One call within a group.
struct Call {
  Kind kind{};
  const void* from = nullptr;
  void* into = nullptr;
  std::size_t count = 0;
  ncclDataType_t type{};
  ncclRedOp_t op{};
  int peer = 0;  // or the root
  Comm* comm = nullptr;
  Stream* stream = nullptr;
};

/// The calls of one rank's group on the device: they end together, and hold the stream until then.
struct Posted {
  TaskPtr task;
  std::size_t open = 0;  // calls in progress
};

struct Offer {
  Call call;
  std::shared_ptr<Posted> posted;
};

/// All ranks that share an id.
struct Clique {
  std::vector<Comm*> comms;
  std::size_t joined = 0;
  std::map<std::pair<int, int>, std::deque<Offer>> sends, receives;  // by source and target
  std::map<long, std::vector<Offer>> collectives;                    // by their number
};

struct Comm {
  std::shared_ptr<Clique> clique;
  int rank = 0, device = 0;
  bool is_blocking = true, is_alive = true, is_aborted = false, is_final = false;
  std::thread::id thread;  // that called last
  long collectives = 0;
  int polls = 0;  // until the call in progress is set up
  bool has_read_choice = false;
  std::string algorithm, protocol;  // that NCCL_ALGO and NCCL_PROTO chose; empty: any
  std::vector<Call> in_progress;
  std::function<void()> registration;  // of a window, in progress
  bool is_busy() const { return !in_progress.empty() || registration; }
  ncclResult_t error = ncclSuccess;
  std::map<const std::byte*, Window*> windows;               // by where their memory begins
  std::shared_ptr<long> graphs = std::make_shared<long>(0);  // executable ones that have its groups
};

std::size_t size_of(ncclDataType_t type);
inline bool is_float8(ncclDataType_t type) {
  return type == ncclFloat8e4m3 || type == ncclFloat8e5m2;
}
/// Does a collective of which all ranks' calls are here, by rank.
void perform(const std::vector<Offer>& calls);

/// Reads the choice of an algorithm, as NCCL does while it sets up a communicator.
void read_choice(Comm& comm);
/// Whether this machine, of NVLink and one node, runs an allreduce: by the choice, or because its
/// memory is in a window, for which NCCL takes kernels of their own whatever was chosen.
bool runs_choice(const Comm& comm, const Call& call);
/// What NCCL returns of a call that it does not run: by the environment at the time of the call.
ncclResult_t refusal();
/// Appends a line to NCCL's log of its choices, if the environment names one.
void log_choice(const Comm& comm, const Call& call);

/// Whether the memory of an allreduce is in a window of its communicator.
bool in_window(const Call& call);
/// Whether that of all ranks is; complains if only that of some is.
bool in_windows(const std::vector<Offer>& calls);

/// The communicator ends, and its windows with it.
void end_windows(Comm& comm);

/// Enqueues the calls of one communicator as one piece of work.
void enqueue_group(Comm& comm, const std::vector<Call>& calls);

}  // namespace arlab::fake_cuda
