// The stand-in notices what code for memory of several processes, and for NCCL's windows, may trip
// over.
#include <nccl.h>

#include <thread>

#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using collectives::contains;
using fake_cuda::take_problems;

namespace {

fake_cuda::Options gpus_of(int devices) {
  fake_cuda::Options options;
  options.devices = devices;
  return options;
}

std::string reported() {
  std::string text;
  for (const std::string& problem : take_problems()) text += problem + "\n";
  return text;
}

/// Runs `body` as another process, on a GPU, while this one waits.
template <class Body>
void elsewhere(int device, Body body) {
  std::thread([&] {
    const fake_cuda::Process process;
    cudaSetDevice(device);
    body();
  }).join();
}

constexpr std::size_t kBytes = 100;

struct Shared {
  Shared() {
    cudaSetDevice(0);
    cudaMalloc(&data, kBytes);
    cudaIpcGetMemHandle(&handle, data);
  }
  void* data = nullptr;
  cudaIpcMemHandle_t handle{};
};

cudaError_t open(void** data, const Shared& shared) {
  return cudaIpcOpenMemHandle(data, shared.handle, cudaIpcMemLazyEnablePeerAccess);
}

}  // namespace

TEST_CASE(
    "IPC: another process reaches memory at another address, until it has closed it as often as "
    "opened") {
  fake_cuda::restart(gpus_of(2));
  {
    const fake_cuda::Process mine;
    const Shared shared;
    int first = 7, seen = 0, later = 0;
    cudaMemcpy(shared.data, &first, sizeof(int), cudaMemcpyHostToDevice);
    elsewhere(1, [&] {
      void *data = nullptr, *again = nullptr;
      CHECK(open(&data, shared) == cudaSuccess);
      CHECK(data != shared.data);
      CHECK(open(&again, shared) == cudaSuccess);
      CHECK(again == data);
      seen = *static_cast<int*>(data);
      CHECK(cudaIpcCloseMemHandle(data) == cudaSuccess);
      *static_cast<int*>(data) = 8;
      CHECK(fake_cuda::alive().find("opened memories") != std::string::npos);
      CHECK(cudaIpcCloseMemHandle(data) == cudaSuccess);
      CHECK(reported() == "");
      CHECK(cudaIpcCloseMemHandle(data) == cudaErrorInvalidValue);
    });
    CHECK_THAT(reported(), contains("closed that this process does not have open"));
    cudaMemcpy(&later, shared.data, sizeof(int), cudaMemcpyDeviceToHost);
    CHECK(seen == 7);
    CHECK(later == 8);
    cudaFree(shared.data);
  }
  CHECK(reported() == "");
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("IPC: what CUDA refuses") {
  fake_cuda::Options options = gpus_of(2);
  for (const auto& [ipc, peers] :
       {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
    options.ipc = ipc;
    options.peers = peers;
    fake_cuda::restart(options);
    const fake_cuda::Process mine;
    const Shared shared;
    void* data = nullptr;
    CHECK(open(&data, shared) == (ipc ? cudaErrorDeviceUninitialized : cudaErrorNotSupported));
    elsewhere(1, [&, is_supported = ipc, are_peers = peers] {
      CHECK((cudaIpcOpenMemHandle(&data, shared.handle, 0) == cudaSuccess) == false);
      const cudaError_t code = open(&data, shared);
      CHECK(code == (!is_supported ? cudaErrorNotSupported
                     : are_peers   ? cudaSuccess
                                   : cudaErrorPeerAccessUnsupported));
      if (code == cudaSuccess) cudaIpcCloseMemHandle(data);
    });
    cudaFree(shared.data);
    CHECK(reported() == "");
  }
}

TEST_CASE("IPC: misuse is reported") {
  fake_cuda::restart(gpus_of(1));
  const fake_cuda::Process mine;
  const Shared shared;
  cudaIpcMemHandle_t handle;
  CHECK(cudaIpcGetMemHandle(&handle, static_cast<std::byte*>(shared.data) + 4) ==
        cudaErrorInvalidValue);
  CHECK_THAT(reported(), contains("not where an allocation of device memory begins"));
  void *data = nullptr, *host = nullptr;
  cudaHostAlloc(&host, kBytes, cudaHostAllocPortable);
  CHECK(cudaIpcGetMemHandle(&handle, host) == cudaErrorInvalidValue);
  CHECK(reported() != "");
  cudaFreeHost(host);
  elsewhere(0, [&] {
    CHECK(open(&data, shared) == cudaSuccess);
    cudaError_t code = cudaSuccess;
    std::thread([&] {
      const fake_cuda::Process third;
      code = cudaIpcCloseMemHandle(data);
    }).join();
    CHECK(code == cudaErrorInvalidValue);
    CHECK_THAT(reported(), contains("closed that this process does not have open"));
    cudaFree(shared.data);
    CHECK_THAT(reported(), contains("memory was freed that process"));
    *static_cast<int*>(data) = 1;  // the pages are still there
    cudaIpcCloseMemHandle(data);
    CHECK(open(&data, shared) == cudaErrorInvalidResourceHandle);
    CHECK_THAT(reported(), contains("opened that its process has freed"));
  });
  CHECK(reported() == "");
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("IPC: of a process that dies, the system frees and closes all") {
  fake_cuda::restart(gpus_of(1));
  const fake_cuda::Process mine;
  const Shared shared;
  void* host = nullptr;
  std::thread([&] {
    fake_cuda::Process process;
    void *data = nullptr, *own = nullptr;
    open(&data, shared);
    cudaMalloc(&own, kBytes);
    cudaHostAlloc(&host, kBytes, cudaHostAllocPortable);
    process.die();
  }).join();
  CHECK(fake_cuda::counters().memory == kBytes);
  cudaFree(shared.data);
  CHECK(reported() == "");
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("NCCL's windows: misuse is reported") {
  fake_cuda::restart(gpus_of(1));
  cudaSetDevice(0);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;
  ncclComm_t comm = nullptr;
  REQUIRE(ncclCommInitRankConfig(&comm, 1, id, 0, &config) == ncclSuccess);
  void *plain = nullptr, *its = nullptr;
  cudaMalloc(&plain, 4096);
  REQUIRE(ncclMemAlloc(&its, 4096) == ncclSuccess);
  ncclWindow_t window = nullptr, other = nullptr;
  CHECK(ncclCommWindowRegister(comm, plain, 4096, &window, NCCL_WIN_COLL_SYMMETRIC) ==
        ncclInvalidUsage);
  CHECK(ncclCommWindowRegister(comm, its, 100, &window, NCCL_WIN_COLL_SYMMETRIC) ==
        ncclInvalidUsage);
  CHECK(window == nullptr);
  CHECK_THAT(reported(), contains("not NCCL's, or of another size"));
  CHECK(ncclCommWindowRegister(comm, its, 4096, &window, NCCL_WIN_COLL_SYMMETRIC) == ncclSuccess);
  CHECK(window != nullptr);
  CHECK(reported() == "");
  CHECK(ncclCommWindowRegister(comm, its, 4096, &other, NCCL_WIN_COLL_SYMMETRIC) == ncclSuccess);
  CHECK_THAT(reported(), contains("registered twice"));
  ncclCommWindowDeregister(comm, other);
  CHECK(ncclMemFree(plain) == ncclSuccess);
  CHECK_THAT(reported(), contains("that is not NCCL's"));
  CHECK(ncclMemFree(its) == ncclSuccess);
  CHECK_THAT(reported(), contains("that a communicator has in a window"));
  ncclCommWindowDeregister(comm, window);
  CHECK(ncclCommWindowDeregister(comm, window) == ncclInvalidArgument);
  CHECK(reported() != "");
  ncclCommFinalize(comm);
  ncclCommDestroy(comm);
  CHECK(reported() == "");
  CHECK(fake_cuda::alive() == "");
}
