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
