// Properties of bucket plans on many random models, for any layers and any order in which their
// gradients become ready.
#include <algorithm>
#include <numeric>

#include "algorithms/base/random.hpp"
#include "tests/support/catch.hpp"
#include "training/schedulers/fixed_order.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::training;

namespace {

// Draws random numbers in sequence.
struct Draws {
  Count below(Count bound) { return random.below(bound, next++); }
  Random random;
  std::uint64_t next = 0;
};

// Returns up to 40 layers of 1 to 3000 elements, mostly small ones, like biases.
Profile model(Draws& draws) {
  Profile all;
  for (Count i = draws.below(40); i >= 0; --i) {
    const Count max = draws.below(3) == 0 ? 3000 : 20;
    all.push_back({std::to_string(i), Time{}, Time{}, 1 + draws.below(max), {}});
  }
  return all;
}

struct Sizes {
  Bytes first, cap;
};
Sizes sizes(Draws& draws) { return {1 + draws.below(4000), 1 + draws.below(16000)}; }

std::vector<std::size_t> any_order(std::size_t count, Draws& draws) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, draws.random.of(draws.next++));
  return order;
}

}  // namespace

TEST_CASE("every plan of buckets covers all gradients once, from last to first") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draws draws{Random(seed)};
    const Profile profile = model(draws);
    const Sizes limits = sizes(draws);
    int next = static_cast<int>(profile.size());
    for (const Bundle& bundle : buckets_of(profile, limits.first, limits.cap))
      for (const Slice& slice : bundle.slices) {
        REQUIRE(slice.layer == --next);
        REQUIRE(slice.first == 0);
        REQUIRE(slice.elements == profile[static_cast<std::size_t>(next)].elements);
      }
    REQUIRE(next == 0);
  }
}

TEST_CASE("every bucket except the last is full, and only since its last layer") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draws draws{Random(seed)};
    const Profile profile = model(draws);
    const Sizes limits = sizes(draws);
    const auto buckets = buckets_of(profile, limits.first, limits.cap);
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      const Bytes full = b == 0 ? limits.first : limits.cap, bytes = buckets[b].bytes();
      if (b + 1 < buckets.size()) REQUIRE(bytes >= full);
      REQUIRE(bytes - kGradientBytes * buckets[b].slices.back().elements < full);
    }
  }
}

TEST_CASE("for any order of gradients, buckets are sent in plan order, once and complete") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draws draws{Random(seed)};
    const Profile profile = model(draws);
    const Sizes limits = sizes(draws);
    const auto plan = buckets_of(profile, limits.first, limits.cap);
    const auto scheduler = follow(plan, profile);
    for (int step = 0; step < 3; ++step) {
      std::vector<bool> is_ready(profile.size(), false);
      std::size_t expected = 0;
      for (const std::size_t layer : any_order(profile.size(), draws)) {
        scheduler->ready(static_cast<int>(layer), Time{});
        is_ready[layer] = true;
        while (const auto bundle = scheduler->next(Time{})) {
          REQUIRE(*bundle == plan[expected++]);
          for (const Slice& slice : bundle->slices)
            REQUIRE(is_ready[static_cast<std::size_t>(slice.layer)]);
        }
      }
      REQUIRE(expected == plan.size());
    }
  }
}
