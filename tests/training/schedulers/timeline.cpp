// The schedulers in simulated time against the reference case: layers with forward 1, backward 2
// and communication 2, 2, 6 on one link; the steady-state period with and without a start-up time.
#include "training/schedulers/timeline.hpp"

#include <algorithm>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "training/schedulers/fixed_order.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::training;

namespace {

constexpr Time kUnit = 1000 * kMicrosecond;
constexpr Count kElementsOfUnit = 100'000;  // that the link transfers in a unit

Profile reference() {
  return {{"1", kUnit, 2 * kUnit, 2 * kElementsOfUnit, {}},
          {"2", kUnit, 2 * kUnit, 2 * kElementsOfUnit, {}},
          {"3", kUnit, 2 * kUnit, 6 * kElementsOfUnit, {}}};
}

LinkCost link(double alpha) {
  return {to_time(alpha * picoseconds(kUnit)),
          picoseconds(kUnit) / static_cast<double>(kElementsOfUnit * kGradientBytes), Time{}};
}

double bytes_of(double units) { return units * kElementsOfUnit * kGradientBytes; }

Study study(std::string_view name, double alpha, Values values = {}) {
  return {.profile = reference(),
          .link = link(alpha),
          .kind = &find_scheduler(name),
          .values = std::move(values),
          .steps = 21};
}

double period(const Study& s) { return simulate(s).period / picoseconds(kUnit); }

}  // namespace

TEST_CASE("all schedulers match the reference case exactly, in both columns") {
  struct Row {
    const char* name;
    Values values;
    double free, with_alpha;
    double alpha = 0.5;
    std::optional<bool> barrier = {};
  };
  const double all = bytes_of(100);
  const Values buckets{{"first_bucket", bytes_of(4)}, {"bucket", bytes_of(4)}};
  const Values one{{"first_bucket", all}, {"bucket", all}};
  const Values whole{{"slice", all}}, slices{{"slice", bytes_of(0.01)}};
  for (const Row& row :
       {Row{"none", {}, 19, 20.5}, Row{"buckets", one, 19, 19.5}, Row{"buckets", buckets, 15, 16},
        Row{"fifo", {}, 15, 16.5}, Row{"priority", whole, 14, 15.5},
        Row{"priority", slices, 15, 20, 0.005, true}, Row{"priority", slices, 13, 18, 0.005},
        Row{"dear", {}, 13, 16}}) {
    INFO(row.name);
    Study free = study(row.name, 0, row.values), costly = study(row.name, row.alpha, row.values);
    free.barrier = costly.barrier = row.barrier;
    CHECK(period(free) == row.free);
    CHECK(period(costly) == row.with_alpha);
  }
}

TEST_CASE("every scheduler exchanges every gradient, no faster than the work allows") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 30; ++trial) {
    Profile profile;
    const int layers = 1 + static_cast<int>(random() % 9);
    for (int l = 0; l < layers; ++l)
      profile.push_back({"",
                         static_cast<std::int64_t>(random() % 1000) * kMicrosecond,
                         static_cast<std::int64_t>(random() % 2000) * kMicrosecond,
                         random() % 4 == 0 ? 0 : static_cast<Count>(random() % 300'000),
                         {}});
    Bytes bytes = 0;
    for (const Layer& layer : profile) bytes += layer.bytes();
    for (const SchedulerKind& kind : schedulers()) {
      INFO(kind.name << " trial " << trial);
      const LinkCost cost{50 * kMicrosecond, 1000, trial % 2 == 0 ? Time{0} : 20 * kMicrosecond};
      const int steps = 6;
      const Timeline t =
          simulate({.profile = profile, .link = cost, .kind = &kind, .steps = steps});
      Bytes carried = 0;
      for (const Work& w : t.works)
        if (w.kind == Work::Kind::message)
          carried += w.collective == Collective::allreduce ? 2 * w.bytes : w.bytes;
      CHECK(carried == 2 * bytes * steps);
      CHECK(t.period >= picoseconds(t.computation));
      CHECK(t.period >= 1000.0 * static_cast<double>(bytes) - 1);
      CHECK(t.exposed() >= 0);
    }
  }
}

TEST_CASE("merging is never worse than one message per layer or one for all") {
  std::mt19937 random(11);
  for (int trial = 0; trial < 200; ++trial) {
    Profile profile;
    const int layers = 1 + static_cast<int>(random() % 12);
    for (int l = 0; l < layers; ++l)
      profile.push_back({"",
                         kUnit,
                         static_cast<std::int64_t>(1 + random() % 3000) * kMicrosecond,
                         static_cast<Count>(1 + random() % 300'000),
                         {}});
    const LinkCost cost{static_cast<std::int64_t>(random() % 2000) * kMicrosecond, 1000, Time{}};
    const auto period_of = [&](const char* name, Values values = {}) {
      return simulate({.profile = profile,
                       .link = cost,
                       .kind = &find_scheduler(name),
                       .values = std::move(values)})
          .period;
    };
    INFO("trial " << trial);
    const double merged = period_of("mg_wfbp");
    CHECK(merged <= period_of("fifo"));
    CHECK(merged <= period_of("buckets", {{"first_bucket", 1e12}, {"bucket", 1e12}}));
  }
}

TEST_CASE("fusion sends at the ticks of its cycle, up to the threshold") {
  // Ready at 5, 7 and 9 in the first step; ticks every 4.
  Study s = study("fusion", 0, {{"cycle", picoseconds(4 * kUnit)}, {"threshold", bytes_of(100)}});
  std::vector<Work> messages;
  for (const Work& w : simulate(s).works)
    if (w.kind == Work::Kind::message && w.step == 0) messages.push_back(w);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].begin == 8 * kUnit);
  CHECK(messages[0].bytes == static_cast<Bytes>(bytes_of(8)));
  CHECK(messages[1].begin == 16 * kUnit);
  s.values["threshold"] = bytes_of(3);
  CHECK(simulate(s).messages == 21 * 3);
}

TEST_CASE("credit keeps a link with latency busy, unlike one slice at a time") {
  Study s = study("credit", 0, {{"slice", bytes_of(0.5)}, {"credit", bytes_of(0.5)}});
  s.link.latency = kUnit / 2;
  const double one = period(s);
  s.values["credit"] = bytes_of(1.5);
  const double three = period(s);
  CHECK(one > 20);  // each of 20 slices takes 0.5 + 0.5
  CHECK(three < 15);
}

TEST_CASE("tictac first sends the branch that enables more computation") {
  // Layers 1 and 2 are branches of 0: 1 has a large message, 2 a long computation. Both are ready
  // while the join's message is in progress, and the first one decides what can be computed.
  const Profile branches{{"input", Time{}, kUnit, 0, {}},
                         {"slow message", kUnit, kUnit, 8 * kElementsOfUnit, {0}},
                         {"long computation", 6 * kUnit, kUnit, 2 * kElementsOfUnit, {0}},
                         {"join", kUnit, kUnit, 4 * kElementsOfUnit, {1, 2}}};
  const auto period_of = [&](const char* name, Values values) {
    return simulate({.profile = branches,
                     .link = link(0),
                     .kind = &find_scheduler(name),
                     .values = std::move(values)})
               .period /
           picoseconds(kUnit);
  };
  const double tictac = period_of("tictac", {});
  CHECK(tictac < period_of("priority", {{"slice", 1e12}}));
  // On a chain the order is that of the chain.
  CHECK(period(study("tictac", 0)) == 14);
}

TEST_CASE("bursts of staggered workers do not collide on a shared link") {
  const Profile one{{"all", 2 * kUnit, 4 * kUnit, 2 * kElementsOfUnit, {}}};
  Study together{
      .profile = one, .link = link(0), .kind = &find_scheduler("fifo"), .steps = 40, .workers = 4};
  Study staggered = together;
  staggered.kind = &find_scheduler("stagger");
  const Timeline burst = simulate(together), calm = simulate(staggered);
  CHECK(burst.period == 14 * picoseconds(kUnit));  // computation of 6, then 4 x 2 on one link
  CHECK(burst.oversubscribed > 0.5);
  CHECK(calm.period == 8 * picoseconds(kUnit));  // as if each were alone
  CHECK(calm.oversubscribed == 0);
}

TEST_CASE("a shared link of several links' capacity: no worker is faster than its own") {
  const Profile one{{"all", 2 * kUnit, 4 * kUnit, 2 * kElementsOfUnit, {}}};
  const auto period_with = [&](int workers, double share) {
    const Study s{.profile = one,
                  .link = link(0),
                  .kind = &find_scheduler("fifo"),
                  .steps = 40,
                  .workers = workers,
                  .link_share = share};
    return period(s);
  };
  // Computation of 6, then a message that takes 2 alone.
  CHECK(period_with(1, 1) == 8);
  CHECK(period_with(1, 2) == 8);
  CHECK(period_with(2, 4) == 8);
  CHECK(period_with(4, 2) == 10);
  CHECK(period_with(2, 0.5) == 14);
}

TEST_CASE("rejects invalid profiles, parameters and names") {
  const auto text = [](auto&& body) { return error_text(Blame::usage, body); };
  CHECK(text([] {
          find_scheduler("fifi");
        }).starts_with("unknown scheduler 'fifi', did you mean 'fifo'? (one of buckets, "));
  CHECK(text([] { simulate({.profile = {}, .kind = &find_scheduler("fifo")}); }) ==
        "the profile has 0 layers: use at least one");
  CHECK(text([] {
          simulate({.profile = {{"x", Time{-1}, Time{}, 0, {}}}, .kind = &find_scheduler("fifo")});
        }).find("layer 0 'x' has a negative time") == 0);
  CHECK(text([] {
          simulate({.profile = {{"x", Time{1}, Time{}, 0, {}}, {"y", Time{1}, Time{}, 0, {1}}},
                    .kind = &find_scheduler("fifo")});
        }).find("layer 1 'y' needs layer 1") == 0);
  CHECK(text([] {
          simulate(study("fifo", 0, {{"slice", 3}}));
        }) == "scheduler fifo has no parameter 'slice' (it has none)");
  CHECK(text([] {
          simulate(study("priority", 0, {{"slice", -3}}));
        }).find("slice") != std::string::npos);
}
