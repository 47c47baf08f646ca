#include "collectives/threads/threads.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("every rank runs once") {
  std::vector<int> runs(20);
  std::atomic<int> wrong_ranks = 0;  // Catch2 counts on one thread only
  on_threads(20, [&](Communicator& communicator) {
    wrong_ranks += communicator.ranks() == 20 ? 0 : 1;
    ++runs[static_cast<std::size_t>(communicator.rank())];
  });
  CHECK(runs == std::vector<int>(20, 1));
  CHECK(wrong_ranks == 0);
}

TEST_CASE("too few and too many ranks are refused") {
  for (const Rank ranks : {-1, 0, 1025}) {
    try {
      on_threads(ranks, [](Communicator&) {});
      FAIL(ranks << " ranks were accepted");
    } catch (const Error& error) {
      CHECK(error.blame() == Blame::usage);
      CHECK_THAT(error.what(), contains(std::to_string(ranks)));
    }
  }
}

TEST_CASE("max, sum and barrier agree on all ranks, again and again") {
  std::atomic<int> wrong = 0, before = 0;
  on_threads(7, [&](Communicator& communicator) {
    const Rank me = communicator.rank();
    for (int i = 0; i < 200; ++i) {
      wrong += communicator.max(-1.0 - (me + i) % 7) == -1.0 ? 0 : 1;
      wrong += communicator.sum(me + i) == 21 + 7 * i ? 0 : 1;
      ++before;
      communicator.barrier();
      wrong += before >= 7 * (i + 1) ? 0 : 1;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("an exception in one rank ends the others and is rethrown") {
  const Rank failing = GENERATE(0, 3, 7);
  const int waits_in = GENERATE(0, 1, 2);
  const auto body = [&](Communicator& communicator) {
    if (communicator.rank() == failing) throw std::runtime_error("rank lost");
    std::vector<std::byte> data(1 << 20);
    const Problem problem{.ranks = 8, .elements = 1 << 18};
    if (waits_in == 0) communicator.barrier();
    if (waits_in == 1) communicator.native_allreduce(data.data(), problem.elements, {});
    for (const Algorithm& algorithm : algorithms())
      if (const Problem p = grouped(algorithm, problem); unsupported(algorithm, p).empty())
        execute(communicator, algorithm, p, data, {}, 2);
  };
  CHECK_THROWS_WITH(on_threads(8, body), "rank lost");
}

TEST_CASE("an exception after some rounds ends ranks that are being read from") {
  const Problem problem{.ranks = 6, .elements = 50000};
  for (int round = 0; round < 20; ++round)
    CHECK_THROWS_WITH(on_threads(6,
                                 [&](Communicator& communicator) {
                                   std::vector<std::byte> data(4 * 50000);
                                   for (int i = 0;; ++i) {
                                     if (i == 3 && communicator.rank() == round % 6)
                                       throw std::runtime_error("rank lost");
                                     execute(communicator, find_algorithm("butterfly"), problem,
                                             data, {});
                                   }
                                 }),
                      "rank lost");
}

TEST_CASE("more ranks than any processor has cores") {
  const Problem problem{.ranks = 200, .elements = 1009};
  std::atomic<Count> wrong = 0;
  on_threads(200, [&](Communicator& communicator) {
    std::vector<std::byte> data(2 * 1009);
    const Operand operand{DType::bfloat16, Op::sum};
    fill(data, operand, problem, communicator.rank());
    execute(communicator, find_algorithm("tree"), problem, data, operand);
    wrong += wrong_elements(data, operand, problem, communicator.rank());
  });
  CHECK(wrong == 0);
}

TEST_CASE("too many lanes are refused") {
  CHECK_THROWS_WITH(on_threads(2,
                               [](Communicator& communicator) {
                                 std::vector<std::byte> data(4 * 10000);
                                 execute(communicator, find_algorithm("tree"),
                                         {.ranks = 2, .elements = 10000}, data, {}, 5000);
                               }),
                    contains("fewer segments"));
}

TEST_CASE("many messages of one round to one peer arrive in their order") {
  constexpr Count kMessages = 7, kAll = kMessages * (kMessages + 1) / 2;
  std::atomic<int> wrong = 0;
  on_threads(6, [&](Communicator& communicator) {
    for (int repeat = 0; repeat < 1500; ++repeat) {
      std::vector<std::int32_t> data(kAll, communicator.rank() == 0 ? 1 : 0);
      std::vector<Transfer> round;
      Count first = 0;
      for (Count n = 1; n <= kMessages; first += n++) {  // each of another length
        auto* const at = reinterpret_cast<std::byte*>(data.data() + first);
        if (communicator.rank() > 0) round.push_back({ActionKind::replace, 0, at, n});
        for (Rank to = 1; communicator.rank() == 0 && to < 6; ++to)
          round.push_back({ActionKind::send, to, at, n});
      }
      communicator.start(0, round, {DType::int32, Op::sum});
      communicator.wait();
      wrong += data == std::vector<std::int32_t>(kAll, 1) ? 0 : 1;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("a poll returns lanes that are done, without waiting") {
  std::atomic<int> wrong = 0;
  on_threads(2, [&](Communicator& communicator) {
    std::int32_t value = communicator.rank() + 1;
    const Rank peer = 1 - communicator.rank();
    wrong += communicator.poll() == -1 ? 0 : 1;
    const Transfer round[] = {{ActionKind::send, peer, reinterpret_cast<std::byte*>(&value), 1},
                              {ActionKind::reduce, peer, reinterpret_cast<std::byte*>(&value), 1}};
    if (communicator.rank() == 1) communicator.barrier();
    communicator.start(5, round, {DType::int32, Op::sum});
    if (communicator.rank() == 0) {
      wrong += communicator.poll() == -1 ? 0 : 1;  // rank 1 has not even started
      communicator.barrier();
    }
    int done = -1;
    while (done < 0) done = communicator.poll();
    wrong += done == 5 && value == 3 && communicator.poll() == -1 ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("ranks that wait for one another give up, and say for what") {
  const auto stalled = [](Rank ranks, const std::function<void(Communicator&)>& body) {
    try {
      on_threads(ranks, body, {.seconds = 0.2});
    } catch (const Stalled& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto receive_from = [](Communicator& c, Rank peer) {
    std::byte data[4];
    const Transfer round[] = {{ActionKind::replace, peer, data, 4}};
    c.start(0, round, {DType::byte, Op::sum});
    c.wait();
  };
  CHECK_THAT(stalled(2, [&](Communicator& c) { receive_from(c, 1 - c.rank()); }),
             Catch::Contains("waits for a message from rank") &&
                 Catch::Contains("no rank has made progress for 0.2 s"));
  CHECK_THAT(stalled(3, [&](Communicator& c) { c.rank() == 2 ? receive_from(c, 0) : c.barrier(); }),
             Catch::Contains("no rank has made progress"));
  CHECK_THAT(stalled(2,
                     [&](Communicator& c) {
                       if (c.rank() == 1) c.barrier();
                     }),
             Catch::Contains("rank 1 waits for all ranks to come to a barrier"));
}

TEST_CASE("a rank that computes for longer than the patience is waited for") {
  int rounds = 0;
  on_threads(3,
             [&](Communicator& c) {
               if (c.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));
               c.barrier();
               if (c.rank() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(500));
               if (c.sum(1) == 3 && c.rank() == 0) ++rounds;
             },
             {.seconds = 0.1});
  CHECK(rounds == 1);
}

TEST_CASE("a schedule that deadlocks names the collective and the round") {
  Algorithm wrong = find_algorithm("ring");
  wrong.name = "wrong_ring";
  wrong.program = [](Problem p, Rank me) -> Program {
    co_yield together(send(p.wrap(me + 1), p.chunk(0)), reduce(p.wrap(me - 1), p.chunk(0)));
    if (me == 0) co_yield reduce(1, p.chunk(1));
  };
  const auto run = [&] {
    on_threads(3,
               [&](Communicator& c) {
                 std::vector<std::byte> data(12);
                 execute(c, wrong, {.ranks = 3, .elements = 3}, data, {DType::float32, Op::sum});
               },
               {.seconds = 0.2});
  };
  CHECK_THROWS_WITH(run(),
                    Catch::StartsWith("wrong_ring allreduce of 3 float32 on 3 ranks, round 2: "
                                      "rank 0 waits for a message from rank 1: no rank"));
}
