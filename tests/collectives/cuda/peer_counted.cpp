// What a plan that kernels run by themselves asks of CUDA, and how it fails, on the stand-in
// (tests/fakes/cuda).
#include "algorithms/base/text.hpp"
#include "collectives/cuda/device.hpp"
#include "collectives/patience.hpp"
#include "tests/fakes/cuda/counted_run.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/on_devices.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr Operand kFloats{DType::float32, Op::sum};

/// The plan of a ring of two ranks on two GPUs.
struct Pair {
  explicit Pair(const PeerOptions& options) {
    fake_cuda::restart(fake_cuda::with_devices(2));
    devices = cuda::devices();
    const Problem problem{.ranks = 2, .elements = 1000};
    const DeviceSchedule schedule =
        schedule_on_devices(match_schedule_of(find_algorithm("ring"), problem), kFloats,
                            [](Rank, Rank) { return true; });
    std::vector<Device*> homes;
    std::vector<std::byte*> data, scratch;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      homes.push_back(devices[rank].get());
      memory.push_back(devices[rank]->allocate(4000));
      data.push_back(memory.back().data());
      memory.push_back(devices[rank]->allocate(schedule.scratch[rank]));
      scratch.push_back(memory.back().data());
    }
    run = std::make_unique<PeerRun>(schedule, homes, data, scratch, options);
  }

  Devices devices;
  std::vector<DeviceMemory> memory;
  std::unique_ptr<PeerRun> run;
};

}  // namespace

TEST_CASE("peer, counted: one kernel per GPU, no copies, and the kernels are loaded before") {
  for (const int devices : {1, 2}) {
    fake_cuda::restart(fake_cuda::with_devices(devices));
    Devices gpus = cuda::devices();
    ColocatedExecutor on(gpus, 4, 1, true, PeerOptions{});
    const Problem problem{.ranks = 4, .elements = 1009};
    conformance::Vectors vectors(on, problem, kFloats);
    auto prepared = on.prepare(find_algorithm("ring"), problem, vectors.data(), kFloats, 1, true);
    const auto counted = fake_cuda::counted_run(on, prepared, vectors);
    CHECK(counted.kernels == devices);
    CHECK(counted.memcpys == 0);
    CHECK(counted.graph_launches == 1);
    CHECK(fake_cuda::counters().late_loads == 0);
    CHECK(vectors.wrong() == 0);
  }
}

TEST_CASE("peer, counted: a wait for a GPU that does not run is given up, and named") {
  for (const std::size_t most_in_words : {std::size_t{0}, std::size_t{8} << 10}) {
    Pair pair({.most_in_words = most_in_words, .patience = 5});
    const auto stream = pair.devices[0]->make_stream();
    pair.run->launch(0, *stream);
    stream->synchronize();
    CHECK_THROWS_AS(pair.run->check(), Stalled);
    pair.run->launch(0, *stream);
    stream->synchronize();
    // A message in words is waited for in its round; memory, once the sender's first step has
    // changed it.
    CHECK_THROWS_WITH(pair.run->check(),
                      contains(concat("rank 0, round ", most_in_words == 0 ? 2 : 1,
                                      ": waited 5 s for rank 1 before step")));
    CHECK_NOTHROW(pair.run->check());
  }
}

TEST_CASE("peer, counted: without room for a block of each rank, or peers, it says so") {
  fake_cuda::Options small = fake_cuda::with_devices(1);
  small.resident_threads = 32;
  small.multiprocessors = 2;
  fake_cuda::restart(small);
  {
    Devices gpus = cuda::devices();
    ColocatedExecutor on(gpus, 3, 1, true, PeerOptions{});
    const Problem problem{.ranks = 3, .elements = 1009};
    conformance::Vectors vectors(on, problem, kFloats);
    CHECK_THROWS_WITH(on.prepare(find_algorithm("ring"), problem, vectors.data(), kFloats, 1, true),
                      contains("GPU 0 has no room for one block of each of 3 ranks at once"));
  }
  fake_cuda::Options apart = fake_cuda::with_devices(2);
  apart.peers = false;
  fake_cuda::restart(apart);
  Devices gpus = cuda::devices();
  ColocatedExecutor on(gpus, 2, 1, true, PeerOptions{});
  const Problem problem{.ranks = 2, .elements = 1009};
  conformance::Vectors vectors(on, problem, kFloats);
  CHECK_THROWS_WITH(on.prepare(find_algorithm("ring"), problem, vectors.data(), kFloats, 1, true),
                    contains("rank 0 and rank 1 do not"));
}

TEST_CASE("peer, counted: ranges that all agree wait for one block, others for all") {
  const auto waits_of = [](const char* name, bool all_blocks) {
    const Problem problem{.ranks = 4, .elements = 4096};
    const DeviceSchedule schedule = schedule_on_devices(
        match_schedule_of(find_algorithm(name), problem), kFloats, [](Rank, Rank) { return true; });
    const PeerSchedule steps = peer_schedule(schedule, {.most_in_words = 0}, 2);
    Count count = 0;
    for (const auto& rank : steps.steps)
      for (const auto& step : rank)
        for (const auto& wait : step.waits) count += wait.all_blocks == all_blocks ? 1 : 0;
    return count;
  };
  CHECK(waits_of("ring", false) > 0);
  CHECK(waits_of("ring", true) == 0);
  CHECK(waits_of("rabenseifner", false) == 0);
  CHECK(waits_of("rabenseifner", true) > 0);
}
