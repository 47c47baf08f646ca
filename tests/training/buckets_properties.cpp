// Properties of bucket plans, on many random models: what must hold whatever the variables and the
// order in which their gradients become ready.
#include <algorithm>
#include <numeric>

#include "tests/catch.hpp"
#include "training/buckets.hpp"
#include "training/random.hpp"

using namespace arlab;

namespace {

// Draws one number after the other.
struct Draws {
  Count below(Count bound) { return random.below(bound, next++); }
  Random random;
  std::uint64_t next = 0;
};

// Up to 40 variables of 1 to 3000 elements, small ones more often, as biases are.
std::vector<Variable> model(Draws& draws) {
  std::vector<Variable> all;
  Count offset = 0;
  for (Count i = draws.below(40); i >= 0; --i) {
    const Count most = draws.below(3) == 0 ? 3000 : 20, n = 1 + draws.below(most);
    all.push_back({"v" + std::to_string(all.size()), {n}, offset, n});
    offset += n;
  }
  return all;
}

BucketSizes sizes(Draws& draws) { return {1 + draws.below(4000), 1 + draws.below(16000)}; }

std::vector<std::size_t> any_order(std::size_t count, Draws& draws) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, draws.random.of(draws.next++));
  return order;
}

}  // namespace

TEST_CASE("any plan of buckets covers all gradients once, from the last to the first") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draws draws{Random(seed)};
    const auto variables = model(draws);
    const auto buckets = buckets_of(variables, sizes(draws));
    std::size_t end = variables.size();
    for (const Bucket& b : buckets) {
      REQUIRE(b.first <= b.last);
      REQUIRE(b.last + 1 == end);
      REQUIRE(b.offset == variables[b.first].offset);
      REQUIRE(b.offset + b.elements == variables[b.last].offset + variables[b.last].elements);
      end = b.first;
    }
    REQUIRE(end == 0);
  }
}

TEST_CASE("any bucket but the last is full, and was not before its last variable") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draws draws{Random(seed)};
    const auto variables = model(draws);
    const BucketSizes limits = sizes(draws);
    const auto buckets = buckets_of(variables, limits);
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      const Count full = b == 0 ? limits.first : limits.cap, bytes = 4 * buckets[b].elements;
      if (b + 1 < buckets.size()) REQUIRE(bytes >= full);
      REQUIRE(bytes - 4 * variables[buckets[b].first].elements < full);
    }
  }
}

TEST_CASE("in whatever order gradients come, buckets come in theirs, each once and complete") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draws draws{Random(seed)};
    const auto variables = model(draws);
    BucketCounter counter(buckets_of(variables, sizes(draws)));
    for (int step = 0; step < 3; ++step) {
      counter.start_step();
      std::vector<bool> is_ready(variables.size(), false);
      int expected = 0;
      for (const std::size_t v : any_order(variables.size(), draws)) {
        counter.ready(v);
        is_ready[v] = true;
        for (int b = counter.next(); b >= 0; b = counter.next(), ++expected) {
          REQUIRE(b == expected);
          const Bucket& its = counter.buckets()[static_cast<std::size_t>(b)];
          const auto at = [&](std::size_t i) { return is_ready.begin() + static_cast<Count>(i); };
          REQUIRE(std::all_of(at(its.first), at(its.last + 1), [](bool r) { return r; }));
        }
      }
      REQUIRE(expected == static_cast<int>(counter.buckets().size()));
      REQUIRE(counter.next() == -1);
    }
  }
}

TEST_CASE("two orders of readiness give the same order of buckets") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draws draws{Random(seed)};
    const auto variables = model(draws);
    const auto plan = buckets_of(variables, sizes(draws));
    std::vector<int> given[2];
    for (std::vector<int>& order : given) {
      BucketCounter counter(plan);
      for (const std::size_t v : any_order(variables.size(), draws)) {
        counter.ready(v);
        for (int b = counter.next(); b >= 0; b = counter.next()) order.push_back(b);
      }
    }
    REQUIRE(given[0] == given[1]);
  }
}
