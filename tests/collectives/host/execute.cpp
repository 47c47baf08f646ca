// What execute refuses, and how it runs rounds that are not in the catalog.
#include "collectives/host/execute.hpp"

#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Runs the program on `ranks` ranks with one int32 a chunk, which starts as 10^rank; returns all
/// ranks' memory.
std::vector<std::vector<std::int32_t>> run(Rank ranks, Program (*program)(Problem, Rank)) {
  std::vector<std::vector<std::int32_t>> memory(static_cast<std::size_t>(ranks));
  on_threads(ranks, [&](Communicator& communicator) {
    std::int32_t mine = 1;
    for (Rank r = 0; r < communicator.rank(); ++r) mine *= 10;
    auto& data = memory[static_cast<std::size_t>(communicator.rank())];
    data.assign(static_cast<std::size_t>(ranks), mine);
    const Problem problem{.ranks = ranks, .elements = ranks};
    execute(communicator, tried(program), problem, std::as_writable_bytes(std::span(data)),
            {DType::int32, Op::sum});
  });
  return memory;
}

using Row = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("execute refuses what does not fit") {
  on_threads(1, [](Communicator& communicator) {
    std::vector<std::byte> data(8);
    const Algorithm& ring = find_algorithm("ring");
    const auto run_with = [&](const Problem& problem) {
      execute(communicator, ring, problem, data, {DType::float32, Op::sum});
    };
    CHECK_THROWS_WITH(run_with({.ranks = 2, .elements = 2}), contains("2 ranks"));
    CHECK_THROWS_WITH(run_with({.elements = 3}), contains("12"));
    CHECK_THROWS_WITH(run_with({.collective = Collective::broadcast, .elements = 2}),
                      contains("no broadcast form"));
    CHECK_NOTHROW(run_with({.elements = 2}));
  });
}

TEST_CASE("a send has the value at the round's start") {
  const auto memory = run(2, [](Problem p, Rank me) -> Program {
    co_yield together(reduce(1 - me, p.all()), send(1 - me, p.all()));
  });
  CHECK(memory[0] == Row{11, 11});
  CHECK(memory[1] == Row{11, 11});
}

TEST_CASE("parts of one send are changed by other receives of the round") {
  // Rank 0 sends everything to 1 and 2, and has one part changed by each of them.
  const auto memory = run(3, [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield together(send(1, p.all()), reduce(1, {0, 2}), send(2, p.all()), reduce(2, {1, 2}));
    else
      co_yield together(reduce(0, p.all()), send(0, {Rank(me - 1), 2}));
  });
  CHECK(memory[0] == Row{11, 111, 101});
  CHECK(memory[1] == Row{11, 11, 11});
  CHECK(memory[2] == Row{101, 101, 101});
}

TEST_CASE("several messages between two ranks in one round meet in order") {
  const auto memory = run(2, [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield together(send(1, p.chunk(0)), send(1, p.chunk(1)), send(1, p.chunk(0)));
    else
      co_yield together(replace(0, p.chunk(0)), reduce(0, p.chunk(1)), reduce(0, p.chunk(1)));
  });
  CHECK(memory[1] == Row{1, 12});
}

TEST_CASE("a message that waits for its turn does not hold up its sender") {
  // Rank 0 adds first what comes from 2; but 2 waits for 1, and 1 for 0 to take its message.
  const auto memory = run(3, [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield together(reduce(2, p.all()), reduce(1, p.all()));
    if (me == 1) {
      co_yield send(0, p.all());
      co_yield send(2, p.all());
    }
    if (me == 2) {
      co_yield reduce(1, p.all());
      co_yield send(0, p.all());
    }
  });
  CHECK(memory[0] == Row{121, 121, 121});
}

TEST_CASE("reductions of a round apply in listed order") {
  // In float32, (2^24 + 1) + 1 = 2^24, but (1 + 1) + 2^24 = 2^24 + 2.
  on_threads(3, [](Communicator& communicator) {
    const float mine[] = {1, 1, 0x1p24f};
    for (const Rank last : {1, 2}) {
      float value = mine[communicator.rank()];
      auto* const data = reinterpret_cast<std::byte*>(&value);
      std::vector<Transfer> round;
      if (communicator.rank() == 0)
        for (const Rank peer : {Rank(3 - last), last})
          round.push_back({ActionKind::reduce, peer, data, 1});
      else
        round.push_back({ActionKind::send, 0, data, 1});
      communicator.start(0, round, {DType::float32, Op::sum});
      communicator.wait();
      const float right = last == 2 ? 0x1p24f + 2 : 0x1p24f;
      const Count wrong = communicator.sum(communicator.rank() == 0 && value != right ? 1 : 0);
      if (communicator.rank() == 0) CHECK(wrong == 0);
    }
  });
}

TEST_CASE("two ends that disagree on a message are named") {
  CHECK_THROWS_WITH(run(2,
                        [](Problem p, Rank me) -> Program {
                          if (me == 0)
                            co_yield send(1, p.all());
                          else
                            co_yield replace(0, p.chunk(0));
                        }),
                    contains("sends 2 elements") && contains("expects 1"));
}
