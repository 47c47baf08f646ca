// NCCL's memory, and windows of communicators on it.
#include <algorithm>
#include <utility>

#include "tests/fakes/cuda/comm.hpp"

namespace arlab::fake_cuda {

struct Window {
  Comm* comm = nullptr;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool is_alive = true;
};

namespace {

std::map<const void*, std::size_t>& allocated() {
  static auto* const all = new std::map<const void*, std::size_t>;
  return *all;
}

std::map<const void*, long>& windows_of_memory() {
  static auto* const all = new std::map<const void*, long>;
  return *all;
}

}  // namespace

bool in_window(const Call& call) {
  const auto* const data = static_cast<const std::byte*>(call.from);
  auto window = call.comm->windows.upper_bound(data);
  if (window == call.comm->windows.begin()) return false;
  --window;
  return data + call.count * size_of(call.type) <= window->first + window->second->bytes;
}

bool in_windows(const std::vector<Offer>& calls) {
  const auto count = std::count_if(calls.begin(), calls.end(),
                                   [](const Offer& offer) { return in_window(offer.call); });
  if (count != 0 && count != std::ssize(calls))
    machine().complain("an allreduce has the memory of some ranks only in windows");
  return count == std::ssize(calls);
}

void end_windows(Comm& comm) {
  for (const auto& [data, window] : std::exchange(comm.windows, {})) {
    --windows_of_memory()[data];
    unmade(window, "windows");
  }
}

}  // namespace arlab::fake_cuda

using namespace arlab::fake_cuda;

ncclResult_t ncclMemAlloc(void** data, std::size_t bytes) {
  if (cudaMalloc(data, bytes) != cudaSuccess) return ncclUnhandledCudaError;
  const std::lock_guard lock(machine().mutex);
  allocated()[*data] = bytes;
  return ncclSuccess;
}

ncclResult_t ncclMemFree(void* data) {
  {
    const std::lock_guard lock(machine().mutex);
    if (windows_of_memory()[data] != 0)
      machine().complain("NCCL's memory was freed that a communicator has in a window");
    if (allocated().erase(data) == 0)
      machine().complain("ncclMemFree of memory that is not NCCL's");
  }
  return cudaFree(data) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* data, std::size_t bytes,
                                    ncclWindow_t* window, int flags) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  *window = nullptr;
  if (!comm || !comm->is_alive) return ncclInvalidArgument;
  const auto block = allocated().find(data);
  if (block == allocated().end() || block->second < bytes || bytes % 4096 != 0 ||
      flags != NCCL_WIN_COLL_SYMMETRIC) {
    m.complain("a window on memory that is not NCCL's, or of another size");
    return ncclInvalidUsage;
  }
  if (!m.options.windows) return ncclSuccess;
  if (comm->is_busy()) {
    m.complain("a window on a communicator whose last call is still in progress");
    return ncclInvalidArgument;
  }
  ++windows_of_memory()[data];
  auto* const made_window = made<Window>("windows");
  made_window->comm = comm;
  made_window->data = static_cast<const std::byte*>(data);
  made_window->bytes = bytes;
  if (!comm->windows.emplace(made_window->data, made_window).second)
    m.complain("memory was registered twice with a communicator");
  if (comm->is_blocking) {
    *window = made_window;
    return ncclSuccess;
  }
  // As NCCL 2.28 does: it says success, and the handle comes later.
  comm->polls = static_cast<int>(m.random() % 4) - 1;
  comm->registration = [window, made_window] { *window = made_window; };
  return ncclSuccess;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  const std::lock_guard lock(machine().mutex);
  if (!comm || !comm->is_alive || !window || window->comm != comm) {
    machine().complain(
        "a window was deregistered from another communicator, or one that has ended");
    return ncclInvalidArgument;
  }
  if (!unmade(window, "windows")) return ncclInvalidArgument;
  comm->windows.erase(window->data);
  --windows_of_memory()[window->data];
  return ncclSuccess;
}
