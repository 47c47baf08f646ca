// Noise delays messages and ranks, reproducibly, and changes nothing else.
#include "simulator/noise/noisy_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/time.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

SimulationResult run_noisy(std::string_view model, const Algorithm& algorithm, const Problem& p,
                           const Noise& noise, const SimulateOptions& options = {},
                           const Values& values = {}) {
  NoisyNetwork network(make_network(find_model(model), values, p.ranks), p.ranks, noise);
  return simulate(algorithm, p, 4, network, options);
}

constexpr Noise kDisturbed{.seed = 3,
                           .jitter = 3 * kMicrosecond,
                           .detour = 2 * kMicrosecond,
                           .period = 50 * kMicrosecond,
                           .loss = {.share = 0.1, .timeout = 100 * kMicrosecond}};

Program one_way(Problem p, Rank me) {
  if (me == 0) co_yield send(1, p.all());
  if (me == 1) co_yield reduce(0, p.all());
}

// Messages of different sizes that leave faster than they are late.
Program many_ways(Problem p, Rank me) {
  for (Rank k = 1; k < p.ranks; ++k)
    if (me == 0)
      co_yield together(send(1, p.chunks(0, k)), send(2, p.chunks(0, p.ranks - k)),
                        send(3, p.chunk(k)));
    else if (me < 4)
      co_yield replace(0, me == 1   ? p.chunks(0, k)
                          : me == 2 ? p.chunks(0, p.ranks - k)
                                    : p.chunk(k));
}

}  // namespace

TEST_CASE("a network without noise gives the same times") {
  for (const Model& model : models())
    for (const Algorithm* const algorithm : tested_algorithms()) {
      const Problem p = grouped(*algorithm, {.ranks = 8, .elements = 800});
      if (!unsupported(*algorithm, p).empty()) continue;
      INFO(algorithm->name << " under " << model.name);
      const auto network = make_network(model, {}, p.ranks);
      const SimulationResult expected =
          simulate(*algorithm, p, 4, *network, {.symmetry = false, .sweep = false});
      const SimulationResult quiet = run_noisy(model.name, *algorithm, p, {});
      CHECK(quiet.finish_of == expected.finish_of);
      CHECK(quiet.sent == expected.sent);
    }
}

TEST_CASE("noise changes times, reproducibly, but not what is sent") {
  for (const char* model : {"alpha_beta", "loggops", "fluid", "connections", "packet"})
    for (const Algorithm* const algorithm : tested_algorithms()) {
      const Problem p = grouped(*algorithm, {.ranks = 9, .elements = 900});
      if (!unsupported(*algorithm, p).empty()) continue;
      INFO(algorithm->name << " under " << model);
      const SimulationResult noisy = run_noisy(model, *algorithm, p, kDisturbed);
      const SimulationResult quiet = run_noisy(model, *algorithm, p, {});
      CHECK(noisy.engine == EngineKind::events);  // ranks are interrupted
      CHECK(noisy.sent == quiet.sent);
      CHECK(noisy.finish != quiet.finish);
      CHECK(run_noisy(model, *algorithm, p, kDisturbed).finish_of == noisy.finish_of);
      Noise other = kDisturbed;
      other.seed = 4;
      CHECK(run_noisy(model, *algorithm, p, other).finish_of != noisy.finish_of);
    }
}

TEST_CASE("a sweep gives the times of events where messages are late") {
  int swept = 0;
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const Rank ranks : ranks_up_to(kSanitized ? 9 : 24))
      for (const Time jitter : {kNanosecond, 3 * kMicrosecond, 100 * kMicrosecond}) {
        const Problem p = grouped(*algorithm, {.ranks = ranks, .elements = 100 * Count{ranks} + 7});
        if (!unsupported(*algorithm, p).empty()) continue;
        INFO(algorithm->name << " on " << ranks << ", jitter " << jitter.count());
        const Noise noise{.seed = 5, .jitter = jitter};
        const SimulationResult fast = run_noisy("loggops", *algorithm, p, noise);
        const SimulationResult events =
            run_noisy("loggops", *algorithm, p, noise, {.symmetry = false, .sweep = false});
        CHECK(fast.finish_of == events.finish_of);
        CHECK(fast.sent == events.sent);
        swept += fast.engine == EngineKind::sweep;
      }
  CHECK(swept > 100);
}

TEST_CASE("a message is late by the jitter on average") {
  constexpr int kRuns = 4'000;
  constexpr Time kJitter = 10 * kMicrosecond;
  const Problem p{.ranks = 2, .elements = 1};
  for (const char* model : {"alpha_beta", "loggops", "fluid"}) {
    const Time quiet = run_noisy(model, tried(one_way), p, {}).finish;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      const Time finish =
          run_noisy(model, tried(one_way), p, {.seed = seed, .jitter = kJitter}).finish;
      REQUIRE(finish >= quiet);
      sum += picoseconds(finish - quiet);
    }
    INFO(model);
    CHECK(sum / kRuns == Approx(picoseconds(kJitter)).epsilon(0.06));  // four standard deviations
  }
}

TEST_CASE("late messages of a pair keep their order") {
  const Problem p{.ranks = 64, .elements = 6400};
  for (const char* model : {"loggops", "fluid", "alpha_beta"})
    for (std::uint64_t seed = 0; seed < (kSanitized ? 5 : 50); ++seed) {
      Trace trace;
      run_noisy(model, tried(many_ways), p,
                {.seed = seed,
                 .jitter = 100 * kMicrosecond,
                 .loss = {.share = 0.2 * static_cast<double>(seed % 2), .timeout = kMicrosecond}},
                {.trace = &trace});
      std::map<std::int64_t, Bytes> sent;
      for (const Span& span : trace.spans)
        if (span.kind == Span::Kind::send) sent[span.message] = span.bytes;
      for (const Span& span : trace.spans)
        if (span.kind == Span::Kind::receive) REQUIRE(sent.at(span.message) == span.bytes);
    }
}

namespace {

// Two messages, the second of which leaves when the first has.
Program twice(Problem p, Rank me) {
  for (int i = 0; i < 2; ++i) {
    if (me == 0) co_yield send(1, p.all());
    if (me == 1) co_yield replace(0, p.all());
  }
}

/// The number of timeouts by which the program ends later, for each of many seeds.
std::vector<double> timeouts(const Algorithm& algorithm, Count elements, double share,
                             const char* model, const Values& values = {}) {
  constexpr Time kTimeout = kSecond;
  const Problem p{.ranks = 2, .elements = elements};
  const Time quiet = run_noisy(model, algorithm, p, {}, {}, values).finish;
  std::vector<double> all;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const Noise noise{.seed = seed, .loss = {.share = share, .timeout = kTimeout}};
    const Time late = run_noisy(model, algorithm, p, noise, {}, values).finish - quiet;
    all.push_back(std::round(picoseconds(late) / picoseconds(kTimeout)));
    REQUIRE(picoseconds(late) == Approx(all.back() * picoseconds(kTimeout)).margin(1e9));
  }
  return all;
}

double share_of(const std::vector<double>& all, double value) {
  return static_cast<double>(std::count(all.begin(), all.end(), value)) /
         static_cast<double>(all.size());
}

}  // namespace

TEST_CASE("a lost packet comes a timeout later, twice as late each time that it is lost again") {
  for (const char* model : {"alpha_beta", "loggops", "fluid", "packet"}) {
    INFO(model);
    const std::vector<double> late = timeouts(tried(one_way), 10, 0.2, model);
    CHECK(share_of(late, 0) == Approx(0.8).margin(0.025));  // four standard deviations
    CHECK(share_of(late, 1) == Approx(0.16).margin(0.024));
    CHECK(share_of(late, 3) == Approx(0.032).margin(0.012));
    CHECK(share_of(late, 2) == 0);
  }
}

TEST_CASE("a message with a request and a grant may be late three times") {
  for (const char* model : {"loggops", "connections"}) {
    INFO(model);
    const auto late = timeouts(tried(one_way), 1000, 0.1, model, {{"S", 1000}});
    CHECK(share_of(late, 0) == Approx(0.9 * 0.9 * 0.9).margin(0.03));
    CHECK(share_of(timeouts(tried(one_way), 1000, 0.1, model, {{"S", 8000}}), 0) ==
          Approx(0.9).margin(0.02));
  }
}

TEST_CASE("the next message of a pair tells of the packet that was lost before it") {
  const std::vector<double> large = timeouts(tried(twice), 1000, 0.2, "loggops");
  CHECK(share_of(large, 0) == Approx(0.8).margin(0.025));
  // One packet that is lost, too, does not.
  const std::vector<double> small = timeouts(tried(twice), 10, 0.2, "loggops");
  CHECK(share_of(small, 0) == Approx(0.8).margin(0.025));
  CHECK(share_of(small, 1) == Approx(0.16).margin(0.024));
  // The request of the second tells of the first, and then only the second can be late.
  CHECK(share_of(timeouts(tried(twice), 1000, 0.1, "connections", {{"S", 1000}}), 0) ==
        Approx(0.9 * 0.9 * 0.9).margin(0.03));
  // Where messages wait for their receives, the second does not leave before the first is there.
  CHECK(share_of(timeouts(tried(twice), 1000, 0.2, "fluid"), 0) == Approx(0.64).margin(0.03));
}

TEST_CASE("interrupted ranks compute for longer") {
  // A rank that is interrupted for half of the time takes twice as long to add.
  const Problem p{.ranks = 2, .elements = 1'000'000};
  const Values slow_additions{{"gamma", 1000}};
  const auto finish = [&](const Noise& noise) {
    return run_noisy("loggops", tried(one_way), p, noise, {}, slow_additions).finish;
  };
  const Time quiet = finish({}), additions = 4'000'000 * kNanosecond;
  CHECK(picoseconds(finish({.detour = 500 * kNanosecond, .period = kMicrosecond})) ==
        Approx(picoseconds(quiet + additions)).epsilon(0.001));
  CHECK(picoseconds(finish({.detour = 100 * kNanosecond, .period = kMicrosecond})) ==
        Approx(picoseconds(quiet + additions / 9)).epsilon(0.001));
}

TEST_CASE("ranks that begin late delay those that wait for them") {
  const Problem p{.ranks = 4, .elements = 4000};
  const Algorithm& chain = find_algorithm("chain");
  const auto finish = [&](const std::vector<Time>& starts) {
    const auto network = make_network(find_model("alpha_beta"), {}, p.ranks);
    return simulate(chain, p, 4, *network, {.starts = starts}).finish;
  };
  const Time on_time = finish({}), late = 1000 * kMicrosecond;
  CHECK(finish({late, late, late, late}) == on_time + late);
  CHECK(finish({0_ps, 0_ps, 0_ps, late}) == on_time + late);  // the first to send
  const Time hop = on_time / 6;
  CHECK(finish({0_ps, 0_ps, 0_ps, hop}) == on_time + hop);
  CHECK(finish({hop, 0_ps, 0_ps, 0_ps}) == on_time);  // ready before the sum arrives
}

TEST_CASE("a loss that never happens changes no time") {
  constexpr Noise kNever{.seed = 1, .loss = {.share = 1e-15, .timeout = kMicrosecond}};
  std::vector<const Algorithm*> all = tested_algorithms();
  all.push_back(&find_algorithm("ring:channels=3"));
  for (const char* model : {"alpha_beta", "loggops", "fluid", "connections", "packet"})
    for (const Algorithm* const algorithm : all)
      for (const Rank ranks : {5, 14})
        for (const int segments : {1, 4}) {
          const Problem p = grouped(*algorithm, {.ranks = ranks, .elements = 16'384});
          if (!unsupported(*algorithm, p).empty()) continue;
          INFO(model << ": " << algorithm->name << " on " << ranks << " ranks, " << segments
                     << " segments");
          CHECK(run_noisy(model, *algorithm, p, kNever, {.segments = segments}).finish_of ==
                run_noisy(model, *algorithm, p, {}, {.segments = segments}).finish_of);
        }
}
