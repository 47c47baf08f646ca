#include "training/buckets.hpp"

#include "algorithms/error.hpp"
#include "tests/catch.hpp"

using namespace arlab;

namespace {

std::vector<Variable> variables_of(const std::vector<Count>& elements) {
  std::vector<Variable> all;
  Count offset = 0;
  for (const Count n : elements) {
    all.push_back({"v" + std::to_string(all.size()), {n}, offset, n});
    offset += n;
  }
  return all;
}

}  // namespace

TEST_CASE("buckets follow DistributedDataParallel's rule, from the last variable to the first") {
  const auto variables = variables_of({100, 10, 10, 5, 7});
  CHECK(buckets_of(variables, {}) == std::vector<Bucket>{{0, 4, 0, 132}});
  // The first is closed by 40 bytes, others by 80.
  CHECK(buckets_of(variables, {40, 80}) ==
        std::vector<Bucket>{{3, 4, 120, 12}, {1, 2, 100, 20}, {0, 0, 0, 100}});
  CHECK(buckets_of(variables, {1, 1}).size() == 5);
  CHECK(buckets_of({}, {}).empty());
  CHECK_THROWS_AS(buckets_of(variables, {0, 1}), Error);
  CHECK_THROWS_AS(buckets_of(variables, {1, -1}), Error);
}

TEST_CASE("a bucket is next when it is complete and those before it were given") {
  BucketCounter counter(buckets_of(variables_of({1, 1, 1, 1}), {8, 8}));
  REQUIRE(counter.buckets().size() == 2);
  for (int step = 0; step < 2; ++step) {
    counter.start_step();
    CHECK(counter.next() == -1);
    counter.ready(0);
    counter.ready(1);  // the second bucket, before the first
    CHECK(counter.next() == -1);
    counter.ready(3);
    counter.ready(2);
    CHECK(counter.next() == 0);
    CHECK(counter.next() == 1);
    CHECK(counter.next() == -1);
    CHECK_THROWS_AS(counter.ready(2), Error);
  }
}
