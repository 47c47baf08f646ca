#include "algorithms/verify/count.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

Program sends_to_nobody(Problem p, Rank me) {
  if (me == 0) co_yield send(1, p.all());
}

}  // namespace

TEST_CASE("count adds up what every rank sends") {
  const Counts counts = count(find_algorithm("tree"), {.ranks = 4, .elements = 10});
  CHECK(counts.all == Cost{6, 60, 4});
  CHECK(counts.rank == std::vector<Cost>{{2, 20, 4}, {1, 10, 2}, {2, 20, 4}, {1, 10, 2}});
}

TEST_CASE("messages without elements do not count, but their rounds do") {
  const Counts counts = count(find_algorithm("ring"), {.ranks = 4, .elements = 1});
  CHECK(counts.all == Cost{6, 6, 6});
  CHECK(counts.rank[0] == Cost{1, 1, 6});
}

TEST_CASE("segments multiply messages but not elements, and lanes run concurrently") {
  const Counts counts = count(find_algorithm("tree"), {.ranks = 4, .elements = 10}, 5);
  CHECK(counts.all == Cost{30, 60, 4});
}

TEST_CASE("count rejects programs that do not match") {
  Algorithm wrong = find_algorithm("tree");
  wrong.name = "wrong";
  wrong.program = sends_to_nobody;
  CHECK(error_text(Blame::check, [&] { count(wrong, {.ranks = 2, .elements = 4}); }) ==
        "wrong: rank 0, round 1: send chunks 0 to 1 to rank 1, but rank 1 ends its program without "
        "it");
}
