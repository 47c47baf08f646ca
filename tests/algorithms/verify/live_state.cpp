// live_state: the text on a collective whose ranks have come to given rounds, checked by hand.
#include "algorithms/verify/live_state.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace arlab {
namespace {

using Is = LiveRank::Is;

std::string state_of(const char* algorithm, std::vector<LiveRank> ranks) {
  const Problem problem{.ranks = static_cast<Rank>(ranks.size()), .elements = 400};
  return live_state(find_algorithm(algorithm), problem, 4, ranks);
}

}  // namespace

TEST_CASE("live state of a ring whose rank 2 has stopped in round 3") {
  // Rank 3 lacks what rank 2 sends in round 3, rank 0 what rank 3 sends in round 5, rank 1 what
  // rank 0 sends in round 6. What a rank still sends is not named while it has something to
  // receive.
  const std::string text =
      state_of("ring", {{Is::inside, 5}, {Is::inside, 6}, {Is::inside, 3, true}, {Is::inside, 3}});
  CHECK(text ==
        "\n  rank 0, round 5: waits to replace chunk 2 from rank 3 (400 bytes)"
        "\n  rank 1, round 6: waits to replace chunk 2 from rank "
        "0 (400 bytes)"
        "\n  rank 2, round 3: stopped; it owes 4 messages, first: round 3, send chunk 3 to rank 3 "
        "(400 bytes)"
        "\n  rank 3, round 3: waits to reduce chunk 3 from rank 2 (400 bytes)");
}

TEST_CASE("live state of ranks before and after a collective") {
  const std::string text =
      state_of("tree", {{Is::inside, 1}, {Is::before, 0, true}, {Is::before}, {Is::unknown}});
  CHECK(
      text ==
      "\n  rank 0, round 1: waits to reduce chunks 0 to 3 from rank 1 (1600 bytes)"
      "\n  rank 1 stopped before its first round; it owes 1 message, first: round 1, send chunks 0 "
      "to 3 to rank 0 (1600 bytes)"
      "\n  rank 2 has not begun");
  CHECK(state_of("ring", {{Is::after}, {Is::after}}).empty());
}

}  // namespace arlab
