#include "collectives/local_rank.hpp"

#include <vector>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("a rank's position on its machine counts the ranks before it there") {
  const std::vector<Rank> machines = {7, 3, 7, 7, 3, 5};
  std::vector<Rank> positions;
  for (Rank rank = 0; rank < 6; ++rank) positions.push_back(local_rank(machines, rank));
  CHECK(positions == std::vector<Rank>{0, 0, 1, 2, 1, 0});
}

TEST_CASE("ranks of a machine take its GPUs in turn") {
  CHECK(gpu_of(0, 4) == 0);
  CHECK(gpu_of(3, 4) == 3);
  CHECK(gpu_of(4, 4) == 0);
  CHECK(gpu_of(7, 2) == 1);
  CHECK(gpu_of(7, 1) == 0);
  CHECK_THROWS_WITH(gpu_of(0, 0), contains("no GPU is visible"));
}

TEST_CASE("ranks on threads share a machine") {
  std::vector<Rank> positions(4, -1);
  on_threads(4, [&](Communicator& threads) {
    positions[static_cast<std::size_t>(threads.rank())] = local_rank(threads);
  });
  CHECK(positions == std::vector<Rank>{0, 1, 2, 3});
}
