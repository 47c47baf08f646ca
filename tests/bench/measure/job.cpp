#include "bench/measure/job.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("outside of a job every backend has 4 ranks unless it has one per device") {
  const bench::Job job;
  REQUIRE(job.ranks() == 0);
  CHECK(job.is_root());
  for (const collectives::Backend& backend : collectives::backends()) {
    if (backend.rank_per_device) continue;
    INFO(backend.name);
    CHECK(job.default_ranks(backend) == 4);
  }
}
