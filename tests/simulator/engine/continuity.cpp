// A nanosecond more in a parameter changes a time by a nanosecond for each message of the critical
// path; by more only where the order changes in which a processor or a link serves messages.
#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/base/random.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Tried {
  const char* model;
  const char* parameter;
};

constexpr Tried kTried[] = {{"alpha_beta", "alpha"}, {"loggops", "L"}, {"loggops", "o"},
                            {"loggops", "g"},        {"packet", ""},   {"fluid", ""},
                            {"connections", "L"}};

struct Case {
  Tried tried;
  const Algorithm* algorithm = nullptr;
  Problem problem;
  int segments = 1;
  Values values;
  double base = 0;  // picoseconds
};

struct Outcome {
  Time finish{};
  std::size_t steps = 0;  // of the critical path
};

Outcome outcome(const Case& c, double longer) {
  Values values = c.values;
  FabricSpec fabric;
  if (*c.tried.parameter)
    values[c.tried.parameter] = c.base + longer;
  else
    fabric.topology = "crossbar:hosts=" + std::to_string(c.problem.ranks) +
                      ",latency=" + std::to_string(std::llround(c.base + longer)) + "ps";
  const auto network = make_network(find_model(c.tried.model), values, c.problem.ranks, fabric);
  Trace trace;
  const Time finish =
      simulate(*c.algorithm, c.problem, 4, *network, {.segments = c.segments, .trace = &trace})
          .finish;
  return {finish, critical_path(trace, finish).steps.size()};
}

// Parameters are multiples of 500 ns, often equal, so that messages meet at processors.
Case drawn(const Random& random) {
  std::uint64_t draws = 0;
  const auto below = [&](Count bound) { return random.below(bound, draws++); };
  static const std::vector<const Algorithm*> algorithms = tested_algorithms();
  const auto lattice = [&] { return 5e5 * static_cast<double>(1 + below(6)); };
  Case c;
  c.tried = kTried[index(below(std::size(kTried)))];
  c.algorithm = algorithms[index(below(static_cast<Count>(algorithms.size())))];
  const Count elements = Count{1} << below(15);
  c.problem = grouped(*c.algorithm, {.ranks = static_cast<Rank>(2 + below(15)),
                                     .elements = elements + below(elements)});
  c.segments = 1 << below(5);
  c.base = lattice();
  if (c.tried.model != std::string_view("loggops")) return c;
  c.values = {{"L", lattice()}, {"o", lattice()}, {"G", below(3) == 0 ? 0. : 80.}};
  c.values["g"] = below(2) ? c.values["o"] : lattice();
  if (below(2)) c.base = c.values["o"];
  return c;
}

struct Tally {
  int tried = 0, over = 0, far = 0;  // over what a nanosecond explains; by a fifth
  std::string list;                  // of those over
};

Tally tally(std::uint64_t seed, int most_tried) {
  Tally t;
  for (std::uint64_t number = 0; t.tried < most_tried; ++number) {
    const Case c = drawn(Random(seed).of(number));
    if (!unsupported(*c.algorithm, c.problem).empty()) continue;
    ++t.tried;
    const Outcome before = outcome(c, 0), after = outcome(c, 1000);
    const double base = picoseconds(before.finish),
                 change = std::abs(picoseconds(after.finish) - base);
    // Each step has the parameter at most twice, as latency of two links; durations are rounded.
    const double explained = 2001 * static_cast<double>(std::max(before.steps, after.steps));
    if (change <= explained) continue;
    ++t.over;
    if (change >= std::max(explained, 0.2 * base)) ++t.far;
    std::string values;
    for (const auto& [name, value] : c.values)
      values += name + "=" + std::to_string(std::llround(value)) + " ";
    t.list +=
        concat(c.tried.model, " ", values, "with ", c.tried.parameter, "=", std::llround(c.base),
               ": ", c.algorithm->name, " on ", c.problem.ranks, ", ", c.problem.elements,
               " elements, ", c.segments, " segments: ", before.finish.count(), " ps, then ",
               after.finish.count(), ": ", std::to_string(100 * change / base), "%\n");
  }
  return t;
}

}  // namespace

TEST_CASE(
    "a nanosecond in a parameter never changes a time by a fifth, and rarely by more than itself") {
  const Tally t = tally(7, kSanitized ? 25 : 200);
  INFO(t.list);
  CHECK(t.far == 0);
  CHECK(t.over < t.tried / 5);
}

// Lists what is over, with how much: docs/simulation.md has the reasons, also of the three that are
// far: a chain in segments, and two rings of several lanes. Which are drawn depends on the catalog.
TEST_CASE("a thousand times a nanosecond", "[.continuity]") {
  const Tally t = tally(11, 1000);
  WARN(t.list << t.over << " of " << t.tried << " over what a nanosecond explains, " << t.far
              << " by a fifth");
  CHECK(t.far <= 3);
}

// Where messages arrive just when the processor is free, receives once went first always, and sends
// starved: 19 ms instead of 1.2.
TEST_CASE("sends and receives take turns on a processor, also where they are ready together") {
  const Problem p{.ranks = 64, .elements = 1 << 18};
  const auto milliseconds = [&](double g) {
    const Values values{{"L", 3e6}, {"o", 1e6}, {"g", g}, {"G", 80}};
    return picoseconds(
               run("loggops", values, find_algorithm("chain"), p, 4, {.segments = 64}).finish) /
           1e9;
  };
  const double before = milliseconds(999e3), at = milliseconds(1000e3),
               after = milliseconds(1001e3);
  INFO(before << ", " << at << ", " << after << " ms");
  CHECK(std::max({before, at, after}) < 1.15 * std::min({before, at, after}));
  CHECK(at < 1.4);
}

// As LogGOPSim (commit 76451de) has them, of exports of chains on 16 ranks, in 16 KiB pieces.
TEST_CASE("pieces of a chain take what LogGOPSim says") {
  struct Known {
    int segments;
    double L, o, g, G;  // NOLINT(readability-identifier-naming)
    Time finish;
  };
  const Known known[] = {
      {8, 2500e3, 1500e3, 1000e3, 0, 255_us},       {8, 2600e3, 1500e3, 1700e3, 0, 201800_ns},
      {8, 2000e3, 1500e3, 1000e3, 1000, 951118_ns}, {64, 2500e3, 1500e3, 1000e3, 0, 578500_ns},
      {64, 3000e3, 1000e3, 1000e3, 0, 424_us},      {64, 3000e3, 1000e3, 1001e3, 0, 394_us},
      {64, 2600e3, 1500e3, 1700e3, 0, 537800_ns},   {64, 2000e3, 1500e3, 1000e3, 1000, 3153780_ns}};
  for (const Known& k : known) {
    const Problem p{.ranks = 16, .elements = Count{1 << 12} * k.segments};
    INFO(k.segments << " pieces, L " << k.L << ", o " << k.o << ", g " << k.g << ", G " << k.G);
    CHECK(run("loggops", {{"L", k.L}, {"o", k.o}, {"g", k.g}, {"G", k.G}}, find_algorithm("chain"),
              p, 4, {.segments = k.segments})
              .finish == k.finish);
  }
}
