#include "collectives/local_rank.hpp"

#include <vector>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("a rank's position on its machine counts the ranks before it there") {
  const std::vector<Rank> machines = {7, 3, 7, 7, 3, 5};
  std::vector<Rank> positions;
  for (Rank rank = 0; rank < 6; ++rank) positions.push_back(local_rank(machines, rank));
  CHECK(positions == std::vector<Rank>{0, 0, 1, 2, 1, 0});
}

TEST_CASE("ranks on threads share a machine") {
  std::vector<Rank> positions(4, -1);
  on_threads(4, [&](Communicator& threads) {
    positions[static_cast<std::size_t>(threads.rank())] = local_rank(threads);
  });
  CHECK(positions == std::vector<Rank>{0, 1, 2, 3});
}
