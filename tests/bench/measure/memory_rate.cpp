#include "bench/measure/memory_rate.hpp"

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;

TEST_CASE("memory rate: the same on all ranks, and no faster than any memory") {
  double rates[2] = {};
  collectives::on_threads(2, [&](collectives::Communicator& ranks) {
    rates[ranks.rank()] = bench::memory_rate(ranks);
  });
  CHECK(rates[0] == rates[1]);
  CHECK(rates[0] > 0.01);
  CHECK(rates[0] < 10'000);
}
