// The executor behind NCCL, with ranks on threads, host devices, and messages through the threads'
// own mailboxes: the whole catalog, so that a GPU adds nothing but the calls themselves.
#include "collectives/gpu/rank_executor.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/nccl/tuning_log.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failures.hpp"
#include "tests/support/lonely.hpp"
#include "tests/support/round_transport.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Runs on the ranks of `threads`; the verdict is the same on all.
conformance::Verdict run(Communicator& threads, Device& device, const Algorithm& algorithm,
                         const Problem& problem, Operand operand, int segments,
                         bool overlaps = false) {
  RoundTransport transport(threads);
  RankExecutor rank(threads, device, transport);
  if (overlaps) rank.overlap_from(0);
  const DeviceMemory data =
      device.allocate(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  const std::span<std::byte> vector(data.data(), data.size());
  auto prepared = rank.prepare(algorithm, problem, data.data(), operand, segments);
  conformance::Verdict verdict;
  for (int k = 0; k < 2; ++k) {
    fill(vector, operand, problem, threads.rank());
    rank.run(prepared);
    rank.synchronize();
    verdict.wrong_elements += threads.sum(wrong_elements(vector, operand, problem, threads.rank()));
  }
  // Chunks begin at 64 bytes, so a rank may send other elements than claimed, but all send the
  // same.
  const Cost sent = prepared.sent();
  const Cost claim = predicted_rank_cost(algorithm, problem, threads.rank(), segments);
  const bool as_claimed = sent.messages == claim.messages && sent.rounds == claim.rounds;
  verdict.ranks_off_their_claim =
      threads.sum(as_claimed ? 0 : 1) + (threads.sum(sent.elements - claim.elements) == 0 ? 0 : 1);
  return verdict;
}

}  // namespace

TEST_CASE("device ranks: the whole catalog, several lanes, in one wave and in two") {
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8}, {1, 3, 4})) {
    Devices devices = host_devices({.count = ranks, .peers = false, .disorder = 23});
    conformance::Failures failures;
    on_threads(ranks, [&](Communicator& threads) {
      Device& mine = *devices[static_cast<std::size_t>(threads.rank())];
      conformance::for_all_problems(
          ranks, conformance::odd_lengths(ranks), ranks - 1,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            const Operand operand{DType::float32, Op::sum};
            for (const bool overlaps : {false, true})
              failures.expect_good(
                  threads, run(threads, mine, algorithm, problem, operand, segments, overlaps),
                  conformance::text_of(algorithm, problem, operand, segments) +
                      (overlaps ? ", two waves" : ""));
          });
    });
    failures.check();
  }
}

TEST_CASE("device ranks: all types and operations") {
  Devices devices = host_devices({.count = 4, .peers = false});
  conformance::Failures failures;
  on_threads(4, [&](Communicator& threads) {
    Device& mine = *devices[static_cast<std::size_t>(threads.rank())];
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
          const Problem problem{.ranks = 4, .elements = 1003};
          failures.expect_good(threads, run(threads, mine, algorithm, problem, {dtype, op}, 2),
                               conformance::text_of(algorithm, problem, {dtype, op}, 2));
        }
  });
  failures.check();
}

TEST_CASE("device ranks: after the patience, all messages are canceled") {
  class Silent final : public DeviceTransport {
   public:
    void exchange(std::span<const SendRecv>, DeviceStream& stream) override {
      for (int i = 0; i < 60; ++i)  // 50 ms or so, which is long enough
        stream.copy(large_.data(), large_.data() + large_.size() / 2, large_.size() / 2);
    }
    void abort() override { ++aborted; }
    void check() override {
      if (lost) fail(Blame::environment, "a peer is lost");
    }
    bool lost = false;
    int aborted = 0;

   private:
    std::vector<std::byte> large_ = std::vector<std::byte>(16 << 20);
  };
  Lonely first;
  Devices devices = host_devices();
  Silent transport;
  const DeviceMemory data = devices[0]->allocate(8);
  const Problem problem{.ranks = 2, .elements = 2};
  const auto run_on = [&](RankExecutor& rank) {
    auto prepared = rank.prepare(find_algorithm("tree"), problem, data.data(), {}, 1);
    rank.run(prepared);
    CHECK_THROWS_WITH(rank.synchronize(), contains("rank 0 has waited") || contains("is lost"));
    rank.stream().synchronize();
  };
  RankExecutor hasty(first, *devices[0], transport, RankExecutor::Seconds(0));
  run_on(hasty);
  CHECK(transport.aborted == 1);
  RankExecutor patient(first, *devices[0], transport);
  transport.lost = true;
  run_on(patient);
  CHECK(transport.aborted == 2);
  transport.lost = false;  // before the ranks wait for their end
}

TEST_CASE("device ranks: after the patience, ranks that have not come are named") {
  class Waiting final : public DeviceTransport {
   public:
    void exchange(std::span<const SendRecv>, DeviceStream& stream) override {
      for (int i = 0; i < 60; ++i)
        stream.copy(large_.data(), large_.data() + large_.size() / 2, large_.size() / 2);
    }
    void abort() override {}

   private:
    std::vector<std::byte> large_ = std::vector<std::byte>(16 << 20);
  };
  Devices devices = host_devices();
  std::string said;
  on_threads(2, [&](Communicator& threads) {
    if (threads.rank() == 1) return;
    Waiting transport;
    const DeviceMemory data = devices[0]->allocate(8);
    RankExecutor rank(threads, *devices[0], transport, RankExecutor::Seconds(0));
    auto prepared =
        rank.prepare(find_algorithm("tree"), {.ranks = 2, .elements = 2}, data.data(), {}, 1);
    rank.run(prepared);
    try {
      rank.synchronize();
    } catch (const Error& error) {
      said = error.what();
    }
    rank.stream().synchronize();
  });
  CHECK_THAT(said, Catch::Contains("rank 1 has not come to this collective"));
}

TEST_CASE("device ranks: a rank that fails ends the others' waits for its messages") {
  std::atomic<bool> failing = false;
  class Unmatched final : public DeviceTransport {
   public:
    explicit Unmatched(const std::atomic<bool>& failing) : failing_(failing) {}
    void exchange(std::span<const SendRecv>, DeviceStream& stream) override {
      while (!failing_) std::this_thread::yield();
      for (int i = 0; i < 200; ++i)  // far longer than a thread takes to end
        stream.copy(large_.data(), large_.data() + large_.size() / 2, large_.size() / 2);
    }
    void abort() override { ++aborted; }
    int aborted = 0;

   private:
    const std::atomic<bool>& failing_;
    std::vector<std::byte> large_ = std::vector<std::byte>(16 << 20);
  };
  Devices devices = host_devices();
  int aborted = 0;
  const auto run_rank = [&](Communicator& threads) {
    if (threads.rank() == 1) {
      failing = true;
      fail(Blame::check, "rank 1 has failed");
    }
    Unmatched transport(failing);
    const DeviceMemory data = devices[0]->allocate(8);
    RankExecutor rank(threads, *devices[0], transport, RankExecutor::Seconds(1e9));
    auto prepared =
        rank.prepare(find_algorithm("tree"), {.ranks = 2, .elements = 2}, data.data(), {}, 1);
    rank.run(prepared);
    try {
      rank.synchronize();
    } catch (...) {
      aborted = transport.aborted;
      rank.stream().synchronize();
      throw;
    }
  };
  CHECK_THROWS_WITH(on_threads(2, run_rank), "rank 1 has failed");
  CHECK(aborted == 1);
}

TEST_CASE("device ranks: a place shows the round whose messages the host waits for") {
  // What a rank's place shows in each exchange.
  class Noting final : public DeviceTransport {
   public:
    explicit Noting(Communicator& threads) : threads_(threads), inner_(threads) {}
    void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
      const SeenPlace seen = SeenPlace::of(*threads_.place(), threads_.rank(), false);
      noted.push_back({seen.collective, seen.rounds[0], seen.rounds[1]});
      inner_.exchange(calls, stream);
    }
    std::vector<std::array<std::uint32_t, 3>> noted;

   private:
    Communicator& threads_;
    RoundTransport inner_;
  };
  using Noted = std::vector<std::array<std::uint32_t, 3>>;
  Devices devices = host_devices({.count = 3, .peers = false});
  std::map<Rank, Noted> once, twice;
  std::mutex mutex;
  on_threads(3, [&](Communicator& threads) {
    Device& mine = *devices[static_cast<std::size_t>(threads.rank())];
    Noting transport(threads);
    RankExecutor rank(threads, mine, transport);
    CheckedRunner runner(rank);
    const Algorithm& ring = find_algorithm("ring");
    runner.load_input({.ranks = 3, .elements = 1}, {});
    runner.run({.algorithm = &ring});  // one element: some rounds move nothing
    const Noted first = std::exchange(transport.noted, {});
    runner.load_input({.ranks = 3, .elements = 6}, {});
    runner.run({.algorithm = &ring, .segments = 2, .mode = {.in_place = false, .repeats = 2}});
    const bool left = threads.place()->collective % 2 == 0;
    const std::lock_guard lock(mutex);
    once[threads.rank()] = first;
    if (left) twice[threads.rank()] = transport.noted;
  });
  CHECK(once == std::map<Rank, Noted>{{0, {{1, 2, 0}, {1, 3, 0}}},
                                      {1, {{1, 1, 0}, {1, 3, 0}, {1, 4, 0}}},
                                      {2, {{1, 1, 0}, {1, 2, 0}, {1, 4, 0}}}});
  // Each of several runs is a collective of its own, and both lanes are seen.
  const Noted both{{3, 1, 1}, {3, 2, 2}, {3, 3, 3}, {3, 4, 4},
                   {5, 1, 1}, {5, 2, 2}, {5, 3, 3}, {5, 4, 4}};
  CHECK(twice == std::map<Rank, Noted>{{0, both}, {1, both}, {2, both}});
}

TEST_CASE("a rank's part: what is sent and overwritten at once lands in scratch") {
  const Algorithm algorithm = tried([](Problem p, Rank me) -> Program {
    co_yield together(send(1 - me, p.chunk(0)), replace(1 - me, p.chunk(0)));
    co_yield together(send(1 - me, p.chunk(me)), replace(1 - me, p.chunk(1 - me)));
  });
  const RankPlan part =
      plan_of_rank(match_schedule_of(algorithm, {.ranks = 2, .elements = 2}), 0, {});
  REQUIRE(part.steps.size() == 2);
  const auto& calls = part.steps[0].calls;
  REQUIRE(calls.size() == 2);
  for (const PlannedMessage& call : calls) CHECK(call.in_scratch == !call.sends);
  REQUIRE(part.steps[0].uses.size() == 1);
  CHECK(part.steps[0].uses[0].kind == ActionKind::replace);
  CHECK(part.steps[1].uses.empty());  // straight into the vector
  CHECK(part.scratch > 0);
}

TEST_CASE("NCCL's choice is read from its log") {
  const std::string log =
      "host:1:1 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}\n"
      "host:1:1 [0] NCCL INFO AllGather: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n"
      "host:1:1 [0] NCCL INFO AllReduce: 4096 Bytes -> Algo RING proto LL128 "
      "channel{Lo..Hi}={0..15}\n"
      "host:1:1 [0] NCCL INFO AllReduce [Symmetric]: 8192 Bytes -> Kernel AllReduce_AGxLL_R "
      "nchannels 8 nthreads 512 nWorks 1";
  CHECK(chosen_in_log(log, 1024) == "TREE LL, 1 channel");
  CHECK(chosen_in_log(log, 4096) == "RING LL128, 16 channels");
  CHECK(chosen_in_log(log, 8192) == "AllReduce_AGxLL_R, 8 channels");
  CHECK(chosen_in_log(log, 96) == "");
  CHECK(chosen_in_log("", 96) == "");
}
