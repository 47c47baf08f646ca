// Vectors on the host that travel between devices: the same bits as without devices, for the whole
// catalog. The devices are the host's own, whose streams run in disorder.
#include "collectives/gpu/staged_executor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "algorithms/base/error.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/counting_device.hpp"
#include "tests/support/failures.hpp"
#include "tests/support/lonely.hpp"
#include "tests/support/on_staged_ranks.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Floats whose sums depend on the order of additions.
std::vector<float> uneven(Count elements, Rank rank) {
  std::minstd_rand random(static_cast<std::uint32_t>(rank + 1));
  std::vector<float> data;
  for (Count i = 0; i < elements; ++i)
    data.push_back(static_cast<float>(random() % 10'007) / 3 - 1667);
  return data;
}

std::span<std::byte> bytes_of(std::vector<float>& data) {
  return std::as_writable_bytes(std::span(data));
}

/// Of this run, what differs from the same on the host.
conformance::Verdict compare(Communicator& threads, StagedExecutor& staged,
                             const Algorithm& algorithm, const Problem& problem, int segments) {
  const Operand operand{DType::float32, Op::sum};
  std::vector<float> host = uneven(problem.elements, threads.rank()), there = host;
  const Cost right = execute(threads, algorithm, problem, bytes_of(host), operand, segments);
  const Cost sent = staged.execute(algorithm, problem, bytes_of(there), operand, segments);
  return {threads.sum(there == host ? 0 : 1), threads.sum(sent == right ? 0 : 1)};
}

/// The same of a vector in the device's memory, which work in another stream completes.
conformance::Verdict compare_there(Communicator& threads, StagedExecutor& staged,
                                   const Algorithm& algorithm, const Problem& problem,
                                   int segments) {
  const Operand operand{DType::float32, Op::sum};
  std::vector<float> host = uneven(problem.elements, threads.rank()), there = host;
  Device& device = *staged.device();
  const auto stream = device.make_stream();
  const DeviceEvent complete = device.make_event();
  Cost right, sent;
  {
    const DeviceMemory data = device.allocate(std::as_bytes(std::span(there)).size());
    stream->copy(data.data(), bytes_of(there).data(), bytes_of(there).size());
    stream->record(complete);
    right = execute(threads, algorithm, problem, bytes_of(host), operand, segments);
    sent = staged.on_device()
               ->execute(&algorithm, problem, data.data(), operand, segments, {&complete, 1})
               .sent;
    stream->copy(bytes_of(there).data(), data.data(), bytes_of(there).size());
    stream->synchronize();
  }
  return {threads.sum(there == host ? 0 : 1), threads.sum(sent == right ? 0 : 1)};
}

/// The groups of messages that each rank has entered, and whether it still waits in the last one.
class Watch {
 public:
  void enter(Rank rank) { at(rank) = {at(rank).load().groups + 1, true}; }
  void leave(Rank rank) { at(rank) = {at(rank).load().groups, false}; }
  /// The rank frees or allocates memory, which on a GPU may wait for all streams of all peers: that
  /// must not happen while another rank waits for a group this one has yet to enter.
  void touch_memory(Rank rank) {
    if (rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the others run on
    for (Rank other = 0; other < 2; ++other)
      if (const State its = at(other); its.waits && its.groups > at(rank).load().groups) ++stuck_;
  }
  int stuck() const { return stuck_; }

 private:
  struct State {
    int groups = 0;
    bool waits = false;
  };
  std::atomic<State>& at(Rank rank) { return states_[static_cast<std::size_t>(rank)]; }

  std::array<std::atomic<State>, 2> states_{};
  std::atomic<int> stuck_ = 0;
};

class WatchedTransport final : public DeviceTransport, private Baseline {
 public:
  WatchedTransport(Communicator& communicator, Watch& watch)
      : transport_(communicator), rank_(communicator.rank()), watch_(watch) {}
  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
    watch_.enter(rank_);
    transport_.exchange(calls, stream);
    watch_.leave(rank_);
  }
  Baseline& baseline(DeviceStream& stream) override {
    under_ = &transport_.baseline(stream);
    return *this;
  }

 private:
  std::string name_of(const Problem& problem) const override { return under_->name_of(problem); }
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    watch_.enter(rank_);
    under_->run(problem, from, into, operand);
    watch_.leave(rank_);
  }

  Baseline* under_ = nullptr;
  RoundTransport transport_;
  Rank rank_;
  Watch& watch_;
};

class WatchedDevice final : public Device {
 public:
  WatchedDevice(Device& device, Rank rank, Watch& watch)
      : Device(device.info()), device_(device), rank_(rank), watch_(watch) {}
  bool reads(const Device& other) const override { return device_.reads(other); }
  DeviceMemory allocate(std::size_t bytes, MemoryKind kind) override {
    return watched(device_.allocate(bytes, kind));
  }
  std::unique_ptr<DeviceStream> make_stream(StreamKind kind) override {
    return device_.make_stream(kind);
  }
  DeviceEvent make_event(bool timed) override { return device_.make_event(timed); }

 private:
  DeviceMemory watched(DeviceMemory memory) {
    watch_.touch_memory(rank_);
    const auto its = std::make_shared<DeviceMemory>(std::move(memory));
    return {its->data(), its->size(), [this, its](std::byte*) { watch_.touch_memory(rank_); }};
  }

  Device& device_;
  Rank rank_;
  Watch& watch_;
};

}  // namespace

TEST_CASE("staged vectors: the whole catalog, to the bits of the host") {
  for (const Rank ranks : thorough({1, 2, 3, 4}, {3})) {
    conformance::Failures failures;
    on_staged_ranks(ranks, [&](Communicator& threads, StagedExecutor& staged) {
      conformance::for_all_problems(
          ranks, conformance::odd_lengths(ranks), ranks - 1,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            failures.expect_good(threads, compare(threads, staged, algorithm, problem, segments),
                                 conformance::text_of(algorithm, problem, {}, segments));
          });
    });
    failures.check();
  }
}

TEST_CASE("vectors in the device's memory: the whole catalog, to the bits of the host") {
  conformance::Failures failures;
  on_staged_ranks(3, [&](Communicator& threads, StagedExecutor& staged) {
    conformance::for_all_problems(
        3, conformance::odd_lengths(3), 2,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          failures.expect_good(threads,
                               compare_there(threads, staged, algorithm, problem, segments),
                               conformance::text_of(algorithm, problem, {}, segments));
        });
  });
  failures.check();
}

TEST_CASE("vectors in the device's memory: several at a time, beside those on the host") {
  conformance::Failures failures;
  on_staged_ranks(2, [&](Communicator& threads, StagedExecutor& staged) {
    Device& device = *staged.device();
    const DeviceMemory memory = device.allocate(2000 * sizeof(float));
    const auto stream = device.make_stream();
    std::vector<float> all(2000), right(2000, 3);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::fill(all.begin(), all.end(), static_cast<float>(threads.rank() + 1));
      stream->copy(memory.data(), bytes_of(all).data(), bytes_of(all).size());
      const DeviceEvent complete = device.make_event();
      stream->record(complete);
      for (const std::size_t first : {1000, 0}) {  // as long as one another
        const DeviceRun run = staged.on_device()->execute(
            first == 0 ? nullptr : &find_algorithm("ring"), {.ranks = 2, .elements = 1000},
            memory.data() + first * sizeof(float), {}, 1, {&complete, 1});
        failures.expect_good(threads, {0, threads.sum(run.seconds > 0 ? 0 : 1)}, "its time");
        failures.expect_good(threads,
                             compare(threads, staged, find_algorithm("ring"),
                                     {.ranks = 2, .elements = 1000 + 500 * repeat}, 1),
                             "beside it");
      }
      stream->copy(bytes_of(all).data(), memory.data(), bytes_of(all).size());
      stream->synchronize();
      failures.expect_good(threads, {threads.sum(all == right ? 0 : 1), 0}, "both parts");
    }
  });
  failures.check();
}

TEST_CASE("staged vectors: pieces of 1 MiB, there and back") {
  conformance::Failures failures;
  constexpr Count kPiece = (Count{1} << 20) / Count{sizeof(float)};
  on_staged_ranks(2, [&](Communicator& threads, StagedExecutor& staged) {
    for (const Count elements :
         {kPiece - 1, kPiece, kPiece + 1, 2 * kPiece, 2 * kPiece + 1, 5 * kPiece + 77})
      failures.expect_good(
          threads,
          compare(threads, staged, find_algorithm("ring"), {.ranks = 2, .elements = elements}, 1),
          std::to_string(elements) + " elements");
  });
  failures.check();
}

TEST_CASE("staged vectors: types and operations, one after another on the same buffers") {
  conformance::Failures failures;
  on_staged_ranks(3, [&](Communicator& threads, StagedExecutor& staged) {
    for (const DType dtype : kDTypes)
      for (const Op op : kOps) {
        const Problem problem{.ranks = 3, .elements = 1003};
        const Operand operand{dtype, op};
        std::vector<std::byte> data(1003 * size_of(dtype));
        const auto wrong_after = [&](auto run) {
          fill(data, operand, problem, threads.rank());
          run();
          return threads.sum(wrong_elements(data, operand, problem, threads.rank()));
        };
        const Algorithm& ring = find_algorithm("ring");
        const Count wrong = wrong_after([&] { staged.execute(ring, problem, data, operand); });
        failures.expect_good(threads, {wrong, 0}, conformance::text_of(ring, problem, operand, 1));
        const Count native = wrong_after([&] { staged.native_allreduce(data, operand); });
        failures.expect_good(threads, {native, 0}, staged.baseline().name_of_allreduce());
      }
  });
  failures.check();
}

TEST_CASE("staged vectors: short after long, again, and more problems than are kept") {
  conformance::Failures failures;
  on_staged_ranks(2, [&](Communicator& threads, StagedExecutor& staged) {
    const auto run = [&](Count elements) {
      const Problem problem{.ranks = 2, .elements = elements};
      failures.expect_good(threads,
                           compare(threads, staged, find_algorithm("butterfly"), problem, 1),
                           std::to_string(elements) + " elements");
    };
    for (const Count elements : {10, 1000, 10, 5000, 1000, 0, 10}) run(elements);
    for (Count elements = 1; elements <= 300; ++elements) run(elements);
    run(1);
  });
  failures.check();
}

TEST_CASE("staged vectors: what is kept is limited, and larger buffers replace smaller ones") {
  Devices devices = host_devices({.count = 2, .peers = false});
  std::vector<CountingDevice::Memory> kept(2), staged_in(2), pinned(2);
  on_threads(2, [&](Communicator& threads) {
    const auto me = static_cast<std::size_t>(threads.rank());
    RoundTransport transport(threads);
    CountingDevice device(*devices[me]);
    {
      StagedExecutor staged(threads, device, transport);
      for (const Count elements : {1000, 2000, 4000}) {
        std::vector<float> data = uneven(elements, threads.rank());
        staged.native_allreduce(bytes_of(data), {});
      }
      staged_in[me] = device.here;
      pinned[me] = device.pinned;
      for (Count elements = 1; elements <= 300; ++elements) {
        std::vector<float> data = uneven(elements, threads.rank());
        staged.execute(find_algorithm("butterfly"), {.ranks = 2, .elements = elements},
                       bytes_of(data), {});
      }
      kept[me] = device.here;
    }
    if (device.here.blocks > 0 || device.pinned.blocks > 0) kept[me].most_blocks = 10'000;
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    CHECK(staged_in[rank].most_bytes == 4000 * sizeof(float));  // not together with that of 2000
    CHECK(pinned[rank].most_bytes == 4000 * sizeof(float));
    CHECK(kept[rank].most_blocks <= 257);  // the scratch of 256 problems, and the vector
    CHECK(kept[rank].most_blocks >= 200);
  }
}

TEST_CASE("staged vectors: what is prepared for one problem does not serve another") {
  conformance::Failures failures;
  on_staged_ranks(3, [&](Communicator& threads, StagedExecutor& staged) {
    std::vector<std::byte> data(64 * sizeof(std::int64_t));
    // Each differs from the one before in one thing: the problem stays as long.
    for (const char* name : {"tree", "master_worker"})
      for (const Collective collective :
           {Collective::broadcast, Collective::reduce, Collective::allreduce})
        for (Rank root = 0; root < 3; ++root)
          for (const Op op : {Op::sum, Op::max})
            for (const DType dtype : {DType::int64, DType::float64})
              for (const int segments : {1, 2}) {
                const Algorithm& algorithm = find_algorithm(name);
                const Problem problem{
                    .collective = collective, .ranks = 3, .elements = 64, .root = root};
                if (!unsupported(algorithm, problem).empty()) continue;
                fill(data, {dtype, op}, problem, threads.rank());
                const Cost sent = staged.execute(algorithm, problem, data, {dtype, op}, segments);
                const bool as_claimed =
                    sent == predicted_rank_cost(algorithm, problem, threads.rank(), segments);
                failures.expect_good(
                    threads,
                    {threads.sum(wrong_elements(data, {dtype, op}, problem, threads.rank())),
                     threads.sum(as_claimed ? 0 : 1)},
                    conformance::text_of(algorithm, problem, {dtype, op}, segments));
              }
  });
  failures.check();
}

TEST_CASE("staged vectors: no memory is freed or allocated while a peer waits for this rank") {
  Devices devices = host_devices({.count = 2, .peers = false});
  Watch watch;
  on_threads(2, [&](Communicator& threads) {
    WatchedTransport transport(threads, watch);
    WatchedDevice device(*devices[static_cast<std::size_t>(threads.rank())], threads.rank(), watch);
    StagedExecutor staged(threads, device, transport);
    const Algorithm& butterfly = find_algorithm("butterfly");  // one group for two ranks
    const auto run = [&](Count elements) {
      std::vector<float> data = uneven(elements, threads.rank());
      staged.execute(butterfly, {.ranks = 2, .elements = elements}, bytes_of(data), {});
    };
    for (const Count elements : {10, 100, 1000}) run(elements);  // more room each time
    for (Count elements = 2000; elements < 2020; ++elements) {
      std::vector<float> data = uneven(elements, threads.rank());
      staged.native_allreduce(bytes_of(data), {});
    }
    for (Count elements = 1; elements <= 300; ++elements) run(elements);
  });
  CHECK(watch.stuck() == 0);
}

TEST_CASE("staged vectors: every piece comes back after the collective, in either stream") {
  class Slow final : public DeviceTransport, private Baseline {
   public:
    void exchange(std::span<const SendRecv>, DeviceStream&) override {}
    Baseline& baseline(DeviceStream& stream) override {
      stream_ = &stream;
      return *this;
    }

   private:
    void run(const Problem& problem, const std::byte*, std::byte* data, Operand operand) override {
      for (int turn = 0; turn < 10; ++turn)
        for (const double divisor : {2.0, 0.5})
          stream_->scale(data, problem.elements, operand.dtype, divisor);
      stream_->scale(data, problem.elements, operand.dtype, 4);
    }
    DeviceStream* stream_ = nullptr;
  } transport;
  Lonely one;
  Devices devices = host_devices();
  StagedExecutor staged(one, *devices[0], transport);
  std::vector<float> data(5 << 18, 1);  // 5 pieces of 1 MiB
  staged.native_allreduce(bytes_of(data), {});
  CHECK(std::count(data.begin(), data.end(), 0.25F) == std::ssize(data));
}

TEST_CASE("staged vectors: a collective that fails leaves the vector as it was") {
  class Mute final : public DeviceTransport {
   public:
    void exchange(std::span<const SendRecv>, DeviceStream&) override {}
    void check() override { fail(Blame::environment, "a peer is lost"); }
  } transport;
  Lonely first;
  Devices devices = host_devices();
  StagedExecutor staged(first, *devices[0], transport);
  std::vector<float> data{1, 2, 3};
  const Problem problem{.ranks = 2, .elements = 3};
  CHECK_THROWS_WITH(staged.execute(find_algorithm("tree"), problem, bytes_of(data), {}),
                    contains("is lost"));
  CHECK(data == std::vector<float>{1, 2, 3});
  CHECK(staged.baseline().name_of_allreduce() == "");
  CHECK_THROWS_WITH(staged.native_allreduce(bytes_of(data), {}), contains("start the job again"));
  const DeviceMemory memory = devices[0]->allocate(12);
  CHECK_THROWS_WITH(staged.on_device()->execute(nullptr, problem, memory.data(), {}, 1, {}),
                    contains("start the job again"));
  StagedExecutor another(first, *devices[0], transport);
  CHECK_THROWS_WITH(
      another.on_device()->execute(&find_algorithm("ring"), {.ranks = 3}, memory.data(), {}, 1, {}),
      contains("3 ranks"));
  CHECK_THROWS_WITH(
      another.on_device()->execute(&find_algorithm("tree"), problem, memory.data(), {}, 1, {}),
      contains("is lost"));
  CHECK_THROWS_WITH(another.execute(find_algorithm("tree"), problem, bytes_of(data), {}),
                    contains("start the job again"));
  const DeviceEvent none = devices[0]->make_event();
  CHECK_THROWS_WITH(another.on_device()->exchange({}, none), contains("start the job again"));
  StagedExecutor third(first, *devices[0], transport);
  CHECK_THROWS_WITH(third.native_allreduce(bytes_of(data), {}), contains("choose an algorithm"));
  CHECK_THROWS_WITH(staged.execute(find_algorithm("ring"), {.ranks = 3}, {}, {}),
                    contains("3 ranks"));
}

TEST_CASE("staged executor: messages of a device's memory, behind what makes them") {
  for (const Rank ranks : {2, 5}) {
    std::atomic<Count> wrong = 0;
    on_staged_ranks(ranks, [&](Communicator& threads, StagedExecutor& staged) {
      const Rank me = threads.rank();
      wrong += staged.on_device()->exchanges() ? 0 : 1;
      Device& device = *staged.device();
      const auto stream = device.make_stream();
      const DeviceEvent made = device.make_event();
      constexpr std::size_t kBytes = 100;
      const DeviceMemory mine = device.allocate(kBytes);
      const DeviceMemory theirs = device.allocate(kBytes * static_cast<std::size_t>(ranks));
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<std::byte> sent(kBytes, static_cast<std::byte>(10 * repeat + me));
        stream->copy(mine.data(), sent.data(), kBytes);
        stream->record(made);
        std::vector<SendRecv> messages;
        for (Rank peer = 0; peer < ranks; ++peer) {
          if (peer == me) continue;
          messages.push_back({true, peer, mine.data(), kBytes});
          messages.push_back(
              {false, peer, theirs.data() + kBytes * static_cast<std::size_t>(peer), kBytes});
        }
        wrong += staged.on_device()->exchange(messages, made) >= 0 ? 0 : 1;
        std::vector<std::byte> got(theirs.size());
        stream->copy(got.data(), theirs.data(), got.size());
        stream->synchronize();
        for (std::size_t i = 0; i < got.size(); ++i)
          if (const auto from = static_cast<Rank>(i / kBytes); from != me)
            wrong += got[i] == static_cast<std::byte>(10 * repeat + from) ? 0 : 1;
      }
      threads.barrier();
    });
    CHECK(wrong == 0);
  }
}
