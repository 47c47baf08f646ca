#include <set>

#include "tests/support/catch.hpp"
#include "training/schedulers/fixed_order.hpp"
#include "training/schedulers/scheduler.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::training;

TEST_CASE("every scheduler has its descriptions and working defaults") {
  std::set<std::string_view> names;
  const Profile profile{{"a", Time{1}, Time{1}, 10, {}}, {"b", Time{1}, Time{1}, 0, {}}};
  for (const SchedulerKind& kind : schedulers()) {
    INFO(kind.name);
    names.insert(kind.name);
    CHECK(&find_scheduler(kind.name) == &kind);
    CHECK_FALSE(kind.summary.empty());
    CHECK_FALSE(kind.source.empty());
    CHECK(make_scheduler(kind, profile, {}) != nullptr);
  }
  CHECK(names.size() == schedulers().size());
  CHECK(names.size() >= 10);
}

TEST_CASE("buckets close when they reach the cap, starting with the last layer") {
  const Profile profile{{"0", Time{}, Time{}, 10, {}},
                        {"1", Time{}, Time{}, 10, {}},
                        {"2", Time{}, Time{}, 30, {}},
                        {"3", Time{}, Time{}, 10, {}}};
  const auto layers = [&](Bytes first, Bytes cap) {
    std::vector<std::vector<int>> all;
    for (const Bundle& bundle : buckets_of(profile, first, cap)) {
      all.emplace_back();
      for (const Slice& slice : bundle.slices) all.back().push_back(slice.layer);
    }
    return all;
  };
  using Layers = std::vector<std::vector<int>>;
  CHECK(layers(40, 160) == Layers{{3}, {2, 1}, {0}});
  CHECK(layers(1, 1) == Layers{{3}, {2}, {1}, {0}});
  CHECK(layers(1000, 1000) == Layers{{3, 2, 1, 0}});
}

TEST_CASE(
    "fusion: a gradient that is ready on the tick leaves with it, a later one with the next") {
  const Profile profile{{"1", {}, {}, 10, {}}, {"2", {}, {}, 10, {}}, {"3", {}, {}, 10, {}}};
  constexpr Time kCycle = kMicrosecond;
  const auto scheduler = make_scheduler(find_scheduler("fusion"), profile, {},
                                        {{"cycle", picoseconds(kCycle)}, {"threshold", 1000}});
  CHECK(scheduler->wake(Time{}) == simulator::kNever);
  scheduler->ready(2, 2 * kCycle);
  CHECK(scheduler->wake(2 * kCycle) == 3 * kCycle);
  auto bundle = scheduler->next(2 * kCycle);
  REQUIRE(bundle);
  CHECK(bundle->slices == std::vector<Slice>{{2, 0, 10}});
  scheduler->ready(1, 2 * kCycle + Time{1});
  CHECK_FALSE(scheduler->next(3 * kCycle - Time{1}));
  CHECK(scheduler->wake(2 * kCycle + Time{1}) == 3 * kCycle);
  scheduler->ready(0, 3 * kCycle);
  bundle = scheduler->next(3 * kCycle);
  REQUIRE(bundle);
  CHECK(bundle->slices == std::vector<Slice>{{1, 0, 10}, {0, 0, 10}});
  CHECK_FALSE(scheduler->next(4 * kCycle));
}

TEST_CASE("fusion: a message holds at most the threshold, but at least one gradient") {
  const Profile profile{{"1", {}, {}, 10, {}}, {"2", {}, {}, 15, {}}, {"3", {}, {}, 50, {}}};
  const auto sent = [&](double threshold) {
    const auto scheduler = make_scheduler(find_scheduler("fusion"), profile, {},
                                          {{"cycle", 1}, {"threshold", threshold}});
    for (int layer = 2; layer >= 0; --layer) scheduler->ready(layer, Time{});
    std::vector<std::size_t> sizes;
    while (const auto bundle = scheduler->next(Time{})) sizes.push_back(bundle->slices.size());
    return sizes;
  };
  using Sizes = std::vector<std::size_t>;
  CHECK(sent(300) == Sizes{3});  // 200 + 60 + 40 bytes
  CHECK(sent(299) == Sizes{2, 1});
  CHECK(sent(260) == Sizes{2, 1});
  CHECK(sent(259) == Sizes{1, 2});
  CHECK(sent(4) == Sizes{1, 1, 1});
}

TEST_CASE("mg_wfbp merges what could not start before the next gradient, on a busy link too") {
  // Each backward pass takes 100 ps, so layer 4 is ready at 100 and layer 0 at 500. A message takes
  // 10 ps and 1 ps per byte.
  const auto plan = [](const std::vector<Count>& elements) {
    Profile profile;
    for (const Count n : elements) profile.push_back({"", {}, Time{100}, n, {}});
    const auto scheduler =
        make_scheduler(find_scheduler("mg_wfbp"), profile, {.alpha = Time{10}, .beta = 1});
    for (int layer = static_cast<int>(profile.size()) - 1; layer >= 0; --layer)
      scheduler->ready(layer, Time{});
    std::vector<std::vector<int>> layers;
    while (const auto bundle = scheduler->next(Time{})) {
      layers.emplace_back();
      for (const Slice& s : bundle->slices) layers.back().push_back(s.layer);
      scheduler->done(*bundle, Time{});
    }
    return layers;
  };
  using Plan = std::vector<std::vector<int>>;
  // 40 bytes each: the link is free again at 150, before the next one is ready.
  CHECK(plan({10, 10, 10, 10, 10}) == Plan{{4}, {3}, {2}, {1}, {0}});
  // 200 bytes keep the link busy from 100 to 310: layer 3 waits from 200, and layer 2 is ready at
  // 300, before it could start. Both start at 310, and are done at 400.
  CHECK(plan({10, 10, 10, 10, 50}) == Plan{{4}, {3, 2}, {1}, {0}});
  // 276 bytes: until 386, and layer 1 is ready at 400, 14 ps later: not worth waiting.
  CHECK(plan({10, 10, 10, 10, 69}) == Plan{{4}, {3, 2}, {1}, {0}});
  // 284 bytes: until 394, only 6 ps before it is ready: less than a start-up.
  CHECK(plan({10, 10, 10, 10, 71}) == Plan{{4}, {3, 2, 1}, {0}});
  // The second message is long, too: from 310 to 600, so nothing after it can start alone.
  CHECK(plan({10, 10, 60, 10, 50}) == Plan{{4}, {3, 2}, {1, 0}});
  // From 310 to 492: 8 ps before layer 0 is ready, as it began after 300, when its last one was.
  CHECK(plan({10, 10, 33, 10, 50}) == Plan{{4}, {3, 2}, {1, 0}});
  // To 488: 12 ps, so layer 1 starts.
  CHECK(plan({10, 10, 32, 10, 50}) == Plan{{4}, {3, 2}, {1}, {0}});
}
