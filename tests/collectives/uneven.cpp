// Chunks of uneven sizes over threads, and what the counted transport says about them.
#include <numeric>
#include <vector>

#include "collectives/counting_communicator.hpp"
#include "collectives/host/execute.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("an all-gather of uneven byte chunks, counted at the transport") {
  for (const char* name : {"ring", "round_robin"})
    for (const Rank ranks : {1, 2, 3, 5, 8}) {
      std::vector<Count> begins{0};
      for (Rank r = 0; r < ranks; ++r) begins.push_back(begins.back() + (r * 7 + 3) % 5);
      const Problem problem{.collective = Collective::all_gather, .ranks = ranks};
      std::vector<Count> wrong(static_cast<std::size_t>(ranks)), off(wrong);
      on_threads(ranks, [&](Communicator& communicator) {
        const auto me = static_cast<std::size_t>(communicator.rank());
        std::vector<std::byte> data(static_cast<std::size_t>(begins.back()));
        for (Count i = begins[me]; i < begins[me + 1]; ++i)
          data[static_cast<std::size_t>(i)] = static_cast<std::byte>(i + 1);
        CountingCommunicator counted(communicator);
        const Cost cost = execute_uneven(counted, find_algorithm(name), problem, begins, data,
                                         {DType::byte, Op::sum});
        for (std::size_t i = 0; i < data.size(); ++i)
          if (data[i] != static_cast<std::byte>(i + 1)) ++wrong[me];
        if (counted.sent() != Traffic{cost.messages, cost.elements}) off[me] = 1;
      });
      CHECK(std::accumulate(wrong.begin(), wrong.end(), Count{0}) == 0);
      CHECK(std::accumulate(off.begin(), off.end(), Count{0}) == 0);
    }
}

TEST_CASE("uneven chunks that do not fit are refused") {
  on_threads(1, [](Communicator& communicator) {
    std::vector<std::byte> data(3);
    const auto run = [&](std::vector<Count> begins) {
      execute_uneven(communicator, find_algorithm("ring"),
                     {.collective = Collective::all_gather, .ranks = 1}, begins, data,
                     {DType::byte, Op::sum});
    };
    CHECK_NOTHROW(run({0, 3}));
    CHECK_THROWS_WITH(run({0, 2}), contains("data of 3 bytes"));
    CHECK_THROWS_WITH(run({0}), contains("uneven chunks"));
  });
}
