// What the executors ask of CUDA and NCCL, as the stand-in for both counts it (tests/fakes/cuda):
// each case is something that code which works may still do wrong on real GPUs.
#include <chrono>
#include <mutex>
#include <optional>
#include <set>

#include "collectives/backends/gpus.hpp"
#include "collectives/cuda/device.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/nccl/nccl.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/lonely.hpp"
#include "tests/support/on_devices.hpp"

using namespace arlab;
using namespace arlab::collectives;
using fake_cuda::Counters;

namespace {

constexpr Operand kFloats{DType::float32, Op::sum};

/// Runs `use(rank executor, communicator)` on every GPU over NCCL.
template <class Use>
void on_nccl(Use use) {
  on_threads(static_cast<Rank>(fake_cuda::options().devices), [&](Communicator& threads) {
    const auto device = cuda::device(static_cast<int>(threads.rank()));
    const auto transport = nccl_transport(threads, *device);
    RankExecutor rank(threads, *device, *transport);
    use(rank, threads);
  });
}

}  // namespace

TEST_CASE("counted: asking what GPUs there are opens none, and a rank opens only its own") {
  fake_cuda::restart(fake_cuda::with_devices(8));
  CHECK(cuda::unavailable() == "");
  CHECK(cuda::device_count() == 8);
  CHECK(cuda::infos().size() == 8);
  CHECK(cuda::links() != "");
  CHECK(fake_cuda::counters().contexts == 0);
  const auto device = cuda::device(5);
  CHECK(cuda::index_of(*device) == 5);
  CHECK(fake_cuda::counters().contexts == 1);
  CHECK_THROWS_AS(cuda::device(8), Error);
}

TEST_CASE(
    "counted: all kernels are loaded when a GPU is opened, so that no first launch waits for "
    "others") {
  fake_cuda::restart(fake_cuda::with_devices(2));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 4);
  for (const DType dtype : kDTypes)
    for (const Op op : kOps) {
      const Problem problem{.ranks = 4, .elements = 1001};
      CHECK(conformance::run(on, find_algorithm("ring"), problem, {dtype, op}, 1, false) ==
            conformance::Verdict{});
    }
  CHECK(fake_cuda::counters().late_loads == 0);
}

TEST_CASE("counted: streams are made for lanes that are used") {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 8);
  const Problem problem{.ranks = 8, .elements = 1000};
  conformance::Vectors vectors(on, problem, kFloats);
  const auto one = on.prepare(find_algorithm("ring"), problem, vectors.data(), kFloats, 1, true);
  CHECK_THAT(fake_cuda::alive(), contains(", 9 streams"));
  const auto two = on.prepare(find_algorithm("ring"), problem, vectors.data(), kFloats, 2, true);
  CHECK_THAT(fake_cuda::alive(), contains(", 17 streams"));
}

TEST_CASE("counted: a graph is one call, and is timed by its own events") {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 4);
  CheckedRunner runner(on);
  runner.load_input({.ranks = 4, .elements = 1000}, kFloats);
  for (const bool in_place : {true, false}) {
    RunRequest request{.algorithm = &find_algorithm("ring"), .mode = {.in_place = in_place}};
    CHECK(runner.run(request).wrong == 0);
    const Counters before = fake_cuda::counters();
    const CheckedRun run = runner.run(request);
    const Counters after = fake_cuda::counters();
    CHECK(run.wrong == 0);
    CHECK(run.us > 0);
    CHECK(after.graph_launches - before.graph_launches == 1);
    CHECK(after.kernels - before.kernels > 4 * 6);
    CHECK(after.records - before.records >= 4);  // two around, two within
  }
}

TEST_CASE("counted: algorithms that are prepared together share their scratch") {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 8);
  CheckedRunner runner(on);
  runner.load_input({.ranks = 8, .elements = 100'000}, kFloats);
  const std::size_t before = fake_cuda::counters().memory;
  std::size_t largest = 0, sum = 0;
  for (const char* name : {"recursive_multiplying", "butterfly", "all_to_all", "swing_whole"}) {
    CHECK(runner.run({.algorithm = &find_algorithm(name)}).wrong == 0);
    const std::size_t now = fake_cuda::counters().memory - before;
    ColocatedExecutor alone(devices, 8);
    CheckedRunner lone(alone);
    lone.load_input({.ranks = 8, .elements = 100'000}, kFloats);
    const std::size_t loaded = fake_cuda::counters().memory;
    CHECK(lone.run({.algorithm = &find_algorithm(name)}).wrong == 0);
    const std::size_t own = fake_cuda::counters().memory - loaded;
    largest = std::max(largest, own);
    sum += own;
    CHECK(now >= largest);
    CHECK(now < largest + 64);  // ranks that have enough keep it
  }
  CHECK(sum > largest);
}

TEST_CASE("counted: a prepared run over NCCL starts no group, and its own calls are grouped") {
  fake_cuda::restart(fake_cuda::with_devices(4));
  on_nccl([](RankExecutor& rank, Communicator& threads) {
    const Problem problem{.ranks = threads.ranks(), .elements = 1000};
    const DeviceMemory data = rank.own_device().allocate(4000);
    threads.barrier();
    auto prepared = rank.prepare(find_algorithm("ring"), problem, data.data(), kFloats, 1);
    threads.barrier();
    const Counters before = fake_cuda::counters();
    threads.barrier();
    for (int k = 0; k < 3; ++k) rank.run(prepared);
    rank.synchronize();
    const double us = rank.microseconds();
    threads.barrier();
    const Counters after = fake_cuda::counters();
    threads.barrier();
    const Count wrong = threads.sum(us > 0 && after.groups == before.groups &&
                                            after.groups == after.captured_groups &&
                                            after.messages - before.messages == 3 * 4 * 6
                                        ? 0
                                        : 1);
    if (threads.rank() == 0) CHECK(wrong == 0);
    rank.run_native(problem, data.data(), kFloats);
    rank.synchronize();
  });
  CHECK(fake_cuda::counters().lone_calls == 0);
}

TEST_CASE("counted: two waves have the messages of one, in twice as many groups") {
  fake_cuda::restart(fake_cuda::with_devices(4));
  on_nccl([](RankExecutor& rank, Communicator& threads) {
    const Problem problem{.ranks = threads.ranks(), .elements = 1000};
    const DeviceMemory data = rank.own_device().allocate(4000);
    std::vector<RankExecutor::Prepared> prepared;
    Counters counted[2], before = {};
    for (const int waves : {1, 2}) {
      rank.overlap_from(waves == 1 ? 4001 : 0);
      threads.barrier();
      before = fake_cuda::counters();
      threads.barrier();
      prepared.push_back(rank.prepare(find_algorithm("ring"), problem, data.data(), kFloats, 2));
      rank.run(prepared.back());
      rank.synchronize();
      threads.barrier();
      const Counters after = fake_cuda::counters();
      counted[waves - 1].captured_groups = after.captured_groups - before.captured_groups;
      counted[waves - 1].messages = after.messages - before.messages;
    }
    if (threads.rank() != 0) return;
    CHECK(counted[0].captured_groups == 4 * 6);
    CHECK(counted[1].captured_groups == 4 * 6 * 2);
    CHECK(counted[0].messages == 4 * 6 * 2);
    CHECK(counted[1].messages == 4 * 6 * 2);
  });
}

TEST_CASE("counted: connecting waits as long as the job does") {
  fake_cuda::restart(fake_cuda::with_devices(2));
  Job job;
  std::set<double> seconds;
  std::mutex mutex;
  const Connect connect = [&](Communicator& threads, Device& device,
                              RankExecutor::Seconds patience) {
    const std::lock_guard lock(mutex);
    seconds.insert(patience.count());
    return nccl_transport(threads, device, patience);
  };
  const RunOptions options{.ranks = 1, .patience = {.seconds = 600}};
  run_on_gpus(job, options, connect, [](Executor&) {});
  CHECK(seconds == std::set<double>{600});
  const auto device = cuda::device(0);
  Lonely lonely;
  CHECK_THROWS_WITH(
      nccl_transport(lonely, *device, RankExecutor::Seconds(60), RankExecutor::Seconds(0.05)),
      contains("waited"));
}

TEST_CASE(
    "counted: a rank that fails amid a collective leaves at once, and leaves nothing running") {
  fake_cuda::restart(fake_cuda::with_devices(2));
  const auto start = std::chrono::steady_clock::now();
  const auto fail_amid = [](Communicator& threads) {
    const auto device = cuda::device(static_cast<int>(threads.rank()));
    const auto transport = nccl_transport(threads, *device);
    const DeviceMemory data = device->allocate(4000);
    std::optional<RankExecutor::Prepared> prepared;  // ends after the executor, as its memory does
    RankExecutor rank(threads, *device, *transport);
    const Problem problem{.ranks = 2, .elements = 1000};
    prepared.emplace(rank.prepare(find_algorithm("ring"), problem, data.data(), kFloats, 1));
    threads.barrier();
    if (threads.rank() == 0) rank.run(*prepared);  // which waits for a message
    throw Error(Blame::environment, "a rank fails");
  };
  CHECK_THROWS_WITH(on_threads(2, fail_amid), contains("a rank fails"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  // Rank 1 may free its memory before rank 0 has aborted its message. It waits for that, which the
  // stand-in takes for a deadlock: it does not know that rank 0 is about to abort.
  for (const std::string& problem : fake_cuda::take_problems())
    CHECK_THAT(problem, contains("cudaFree never ends: 1 messages"));
}

TEST_CASE("counted: an exception while a graph is captured leaves the streams usable") {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 2);
  const Problem problem{.ranks = 2, .elements = 100};
  {
    conformance::Vectors vectors(on, problem, kFloats);
    std::vector<std::byte> host(400);
    std::vector<std::byte*> data(vectors.data().begin(), vectors.data().end());
    data[1] = host.data();  // which no kernel reaches
    CHECK_THROWS_AS(on.prepare(find_algorithm("butterfly"), problem, data, kFloats, 1, true),
                    Error);
    CHECK(fake_cuda::take_problems().size() == 1);
  }
  CHECK(conformance::run(on, find_algorithm("butterfly"), problem, kFloats, 1, true) ==
        conformance::Verdict{});
}
