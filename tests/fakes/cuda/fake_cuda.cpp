// The stand-in for CUDA and NCCL notices what code for GPUs may trip over.
#include "tests/fakes/cuda/fake_cuda.hpp"

#include <nccl.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using collectives::contains;
using fake_cuda::take_problems;

namespace {

/// The machine of the environment, with another seed.
fake_cuda::Options seeded(std::uint32_t seed, int devices = 1) {
  fake_cuda::Options options = fake_cuda::options();
  options.devices = devices;
  options.peers = true;
  options.frees_wait = true;
  options.seed = seed;
  return options;
}

/// What was wrong, as one text.
std::string wrong() {
  std::string text;
  for (const std::string& problem : take_problems()) text += problem + "\n";
  return text;
}

template <class... Parameters, class... Arguments>
cudaError_t run(unsigned threads, void (*kernel)(Parameters...), cudaStream_t stream,
                Arguments... arguments) {
  cudaLaunchConfig_t config;
  config.gridDim = dim3(1);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

struct Stream {
  explicit Stream(int device = 0) {
    cudaSetDevice(device);
    cudaStreamCreateWithFlags(&its, cudaStreamNonBlocking);
  }
  ~Stream() { cudaStreamDestroy(its); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t its = nullptr;
};

struct Ints {
  explicit Ints(std::size_t count) {
    void* data = nullptr;
    cudaMalloc(&data, count * sizeof(int));
    at = static_cast<int*>(data);
    std::fill(at, at + count, 0);
  }
  ~Ints() { cudaFree(at); }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  int* at = nullptr;
};

void set(int* into, int value) { *into = value; }
void append(int* into, int value) { *into = 10 * *into + value; }

void rotate(int* into, int misses) {  // each thread takes its neighbor's value, twice
  __shared__ int value[256];
  for (int turn = 0; turn < 2; ++turn) {
    value[threadIdx.x] = static_cast<int>(threadIdx.x) + turn;
    if (misses != 1) __syncthreads();
    into[threadIdx.x] = 1000 * into[threadIdx.x] + value[(threadIdx.x + 1) % blockDim.x];
    if (misses != 2) __syncthreads();
  }
}
void some_return() {
  if (threadIdx.x == 70) return;
  __syncthreads();
}
void two_barriers() {
  if (threadIdx.x < 64)
    __syncthreads();
  else
    __syncthreads();
}
void votes(unsigned* into, unsigned mask) {
  if (threadIdx.x % 32 < 16) into[threadIdx.x] = __ballot_sync(mask, threadIdx.x % 2 == 0);
}
void lane_ends(unsigned* into) {
  if (threadIdx.x == 5) return;
  into[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
}
void sums(int* into) {
  int sum = static_cast<int>(threadIdx.x);
  for (unsigned width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffu, sum, width);
  if (threadIdx.x % 32 == 0) into[threadIdx.x / 32] = sum;
}

}  // namespace

TEST_CASE("stand-in: a missing barrier shows, and a present one orders") {
  for (const int misses : {0, 1, 2}) {
    int bad = 0;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      fake_cuda::restart(seeded(seed));
      const Stream stream;
      const Ints into(256);
      run(256, rotate, stream.its, into.at, misses);
      cudaStreamSynchronize(stream.its);
      for (int t = 0; t < 256; ++t) bad += into.at[t] == 1001 * ((t + 1) % 256) + 1 ? 0 : 1;
    }
    INFO("without barrier " << misses);
    CHECK((bad > 0) == (misses != 0));
    CHECK(wrong() == "");
  }
}

TEST_CASE("stand-in: a barrier that some threads do not reach, or another one, is a problem") {
  fake_cuda::restart(seeded(1));
  const Stream stream;
  run(128, some_return, stream.its);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("some have ended"));
  run(128, two_barriers, stream.its);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("two barriers"));
}

TEST_CASE("stand-in: operations of a warp give the lanes of their mask what they sent") {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    fake_cuda::restart(seeded(seed));
    const Stream stream;
    const Ints into(64);
    auto* const bits = reinterpret_cast<unsigned*>(into.at);
    run(64, votes, stream.its, bits, 0xffffu);
    cudaStreamSynchronize(stream.its);
    CHECK(bits[3] == 0x5555u);
    CHECK(bits[40] == 0x5555u);
    run(64, sums, stream.its, into.at);
    cudaStreamSynchronize(stream.its);
    CHECK(into.at[0] == 31 * 16);
    CHECK(into.at[1] == 31 * 16 + 32 * 32);
    CHECK(wrong() == "");
  }
}

TEST_CASE("stand-in: a wrong mask, and a lane that has ended, are problems") {
  fake_cuda::restart(seeded(1));
  const Stream stream;
  const Ints into(64);
  auto* const bits = reinterpret_cast<unsigned*>(into.at);
  run(32, votes, stream.its, bits, 0xff00u);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("not in its own mask"));
  run(32, votes, stream.its, bits, 0xffffffffu);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("has ended"));
  run(32, lane_ends, stream.its, bits);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("has ended"));
}

TEST_CASE("stand-in: streams run in any order that their events allow") {
  for (const bool ordered : {true, false}) {
    std::set<int> seen;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
      fake_cuda::restart(seeded(seed));
      const Stream a, b;
      const Ints value(1);
      cudaEvent_t event = nullptr;
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
      run(1, append, b.its, value.at, 1);
      run(1, append, b.its, value.at, 2);
      cudaEventRecord(event, b.its);
      if (ordered) cudaStreamWaitEvent(a.its, event);
      run(1, append, a.its, value.at, 3);
      cudaStreamSynchronize(a.its);
      cudaStreamSynchronize(b.its);
      seen.insert(*value.at);
      cudaEventDestroy(event);
    }
    if (ordered)
      CHECK(seen == std::set<int>{123});
    else
      CHECK(seen.size() > 1);
  }
  CHECK(wrong() == "");
}

TEST_CASE("stand-in: a graph runs in any order that its edges allow, after its last launch") {
  std::set<int> seen;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    fake_cuda::restart(seeded(seed));
    const Stream a, b;
    const Ints value(1);
    cudaEvent_t fork = nullptr, join = nullptr;
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    cudaStreamBeginCapture(a.its, cudaStreamCaptureModeRelaxed);
    run(1, set, a.its, value.at, 1);
    cudaEventRecord(fork, a.its);
    cudaStreamWaitEvent(b.its, fork);
    run(1, append, b.its, value.at, 2);
    cudaEventRecord(join, b.its);
    run(1, append, a.its, value.at, 3);
    cudaStreamWaitEvent(a.its, join);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(a.its, &graph) == cudaSuccess);
    cudaGraphExec_t executable = nullptr;
    cudaGraphInstantiateWithFlags(&executable, graph, 0);
    cudaGraphLaunch(executable, a.its);
    cudaGraphLaunch(executable, a.its);
    cudaStreamSynchronize(a.its);
    seen.insert(*value.at);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
  }
  CHECK(seen == std::set<int>{123, 132});
  CHECK(wrong() == "");
}

TEST_CASE("stand-in: a stream that a capture forked must be joined") {
  fake_cuda::restart(seeded(1));
  const Stream a, b;
  const Ints value(1);
  cudaEvent_t fork = nullptr;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaStreamBeginCapture(a.its, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(fork, a.its);
  cudaStreamWaitEvent(b.its, fork);
  run(1, set, b.its, value.at, 1);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(a.its, &graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureUnjoined);
  cudaEventDestroy(fork);
  CHECK(wrong() == "");
  cudaStreamBeginCapture(a.its, cudaStreamCaptureModeRelaxed);
  CHECK(cudaStreamSynchronize(a.its) == cudaErrorStreamCaptureUnsupported);
  CHECK_THAT(fake_cuda::alive(), contains("1 captures"));
  cudaStreamEndCapture(a.its, &graph);
  cudaGraphDestroy(graph);
  wrong();
}

TEST_CASE("stand-in: wrong memory and devices are problems") {
  fake_cuda::restart(seeded(1, 2));
  const Stream here(0);
  const Stream there(1);
  int on_host = 0;
  cudaSetDevice(0);
  const Ints value(4);
  run(1, set, here.its, &on_host, 1);
  CHECK_THAT(wrong(), contains("memory of the host"));
  run(1, set, there.its, value.at, 1);
  CHECK_THAT(wrong(), contains("stream of another device"));
  cudaSetDevice(1);
  run(1, set, there.its, value.at, 1);
  CHECK_THAT(wrong(), contains("no peer"));
  cudaDeviceEnablePeerAccess(0, 0);
  run(1, set, there.its, value.at, 7);
  cudaStreamSynchronize(there.its);
  CHECK(*value.at == 7);
  CHECK(wrong() == "");
  cudaDeviceEnablePeerAccess(0, 0);
  CHECK_THAT(wrong(), contains("enabled again"));
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDefault);
  cudaEventRecord(event, here.its);
  CHECK_THAT(wrong(), contains("another device's stream"));
  cudaEventDestroy(event);
  cudaEventDestroy(event);
  CHECK_THAT(wrong(), contains("destroyed twice"));
  cudaMemcpyAsync(value.at, value.at + 2, 3 * sizeof(int), cudaMemcpyDefault, here.its);
  CHECK_THAT(wrong(), contains("beyond its memory"));
  cudaMemcpyAsync(value.at, &on_host, sizeof(int), cudaMemcpyDeviceToDevice, here.its);
  CHECK_THAT(wrong(), contains("another way"));
  cudaGetLastError();
}

TEST_CASE("stand-in: freed memory that work still uses, and freed twice, are problems") {
  fake_cuda::Options lazy = seeded(3);  // nothing runs before somebody waits
  lazy.frees_wait = false;
  fake_cuda::restart(lazy);
  const Stream stream;
  void* data = nullptr;
  cudaMalloc(&data, 64);
  run(1, set, stream.its, static_cast<int*>(data), 1);
  cudaFree(data);
  cudaStreamSynchronize(stream.its);
  CHECK_THAT(wrong(), contains("was freed"));
  cudaFree(data);
  CHECK_THAT(wrong(), contains("freed before"));
  cudaMalloc(&data, 64);
  CHECK_THAT(fake_cuda::alive(), contains("1 blocks of device memory"));
  cudaFree(data);
  cudaGetLastError();
}

namespace {

/// Two ranks on threads of their own, each with a communicator; rank 1's part comes after rank 0
/// waits.
struct Pair {
  explicit Pair(std::uint32_t seed) {
    fake_cuda::restart(seeded(seed, 2));
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    for (int rank = 0; rank < 2; ++rank) {
      cudaSetDevice(rank);
      streams[rank] = std::make_unique<Stream>(rank);
      memory[rank] = std::make_unique<Ints>(16);
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ncclCommInitRankConfig(&comms[rank], 2, id, rank, &config);
    }
  }
  ~Pair() {
    for (ncclComm_t comm : comms) ncclCommDestroy(comm);
  }
  void finish(int rank) const {
    for (ncclResult_t state = ncclInProgress; state == ncclInProgress;)
      ncclCommGetAsyncError(comms[rank], &state);
  }
  ncclComm_t comms[2] = {};
  std::unique_ptr<Stream> streams[2];
  std::unique_ptr<Ints> memory[2];
};

}  // namespace

TEST_CASE("stand-in: a message holds its stream until its other end comes") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const Pair pair(seed);
    *pair.memory[0]->at = 42;
    cudaSetDevice(0);
    ncclSend(pair.memory[0]->at, 4, ncclUint8, 1, pair.comms[0], pair.streams[0]->its);
    pair.finish(0);
    CHECK(cudaStreamQuery(pair.streams[0]->its) == cudaErrorNotReady);
    cudaSetDevice(1);
    ncclRecv(pair.memory[1]->at, 4, ncclUint8, 0, pair.comms[1], pair.streams[1]->its);
    pair.finish(1);
    cudaStreamSynchronize(pair.streams[1]->its);
    CHECK(*pair.memory[1]->at == 42);
    cudaStreamSynchronize(pair.streams[0]->its);
    CHECK(wrong() == "");
  }
}

TEST_CASE("stand-in: freeing while a peer's stream waits for this rank never ends") {
  const Pair pair(1);
  cudaSetDevice(1);
  std::thread other([&] {
    cudaSetDevice(0);
    ncclRecv(pair.memory[0]->at, 4, ncclUint8, 1, pair.comms[0], pair.streams[0]->its);
    pair.finish(0);
  });
  other.join();
  ncclResult_t state = ncclSuccess;
  ncclCommGetAsyncError(pair.comms[1], &state);
  void* data = nullptr;
  CHECK(cudaMalloc(&data, 64) == cudaErrorLaunchFailure);
  CHECK_THAT(wrong(), contains("cudaMalloc never ends: 1 messages"));
  CHECK(cudaStreamSynchronize(pair.streams[0]->its) == cudaErrorLaunchFailure);
}

TEST_CASE(
    "stand-in: work on a stream where a call of NCCL is in progress, and two ranks on a GPU") {
  std::string all;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const Pair pair(seed);
    for (int rank = 0; rank < 2; ++rank) {
      cudaSetDevice(rank);
      ncclAllReduce(pair.memory[rank]->at, pair.memory[rank]->at, 4, ncclInt32, ncclSum,
                    pair.comms[rank], pair.streams[rank]->its);
      run(1, set, pair.streams[rank]->its, pair.memory[rank]->at, 1);
      pair.finish(rank);
    }
    for (int rank = 0; rank < 2; ++rank) cudaStreamSynchronize(pair.streams[rank]->its);
    all += wrong();
  }
  CHECK_THAT(all, contains("still in progress"));
  fake_cuda::restart(seeded(1));
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t first = nullptr, second = nullptr;
  CHECK(ncclCommInitRankConfig(&first, 2, id, 0, &config) == ncclInProgress);
  CHECK(ncclCommInitRankConfig(&second, 2, id, 1, &config) == ncclInvalidUsage);
  ncclCommAbort(first);
}
