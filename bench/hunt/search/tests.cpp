#include "bench/hunt/search/tests.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::hunt {
namespace {

constexpr Bytes kSmall = 8;
constexpr int kPartners = 3;

Pair ordered(Rank a, Rank b) { return {std::min(a, b), std::max(a, b)}; }

struct Wanted {
  std::vector<Pair> tests;
  std::size_t of_ranks = 0;  // the first ones; the others are routes
};

Wanted wanted_tests(const Suspects& suspects) {
  std::vector<Rank> slow, fine;
  for (std::size_t r = 0; r < suspects.ranks.size(); ++r)
    (suspects.ranks[r] ? slow : fine).push_back(static_cast<Rank>(r));
  const Random random(suspects.seed);
  std::vector<Pair> all;
  std::set<Pair> there;
  const auto add = [&](Rank a, Rank b) {
    if (there.insert(ordered(a, b)).second) all.push_back(ordered(a, b));
  };
  shuffle(fine, random.of(0));
  std::size_t next = 0;
  // A partner that it was slow with: others, such as those of its node, may not meet what is slow.
  const auto add_partner = [&](Rank r) {
    const std::vector<Rank>& slow_with = suspects.slow_with[index(r)];
    for (std::size_t tried = 0; tried < fine.size(); ++tried) {
      const Rank other = fine[next++ % fine.size()];
      if (std::ranges::find(slow_with, other) == slow_with.end() ||
          there.contains(ordered(r, other)))
        continue;
      add(r, other);
      return;
    }
  };
  for (int i = 0; i < kPartners; ++i)
    for (const Rank r : slow) add_partner(r);
  for (const PairRound& round : tournament(slow, kPartners))
    for (const Pair& pair : round) add(pair.from, pair.to);
  const std::size_t of_ranks = all.size();
  std::vector<Pair> routes = suspects.routes;
  shuffle(routes, random.of(1));
  for (const Pair& pair : routes) add(pair.from, pair.to);
  return {std::move(all), of_ranks};
}

// The ranks and known groups that a round uses: pairs that share neither meet on no link of a leaf.
class Used {
 public:
  /// group_of: empty: pairs may share groups.
  Used(Rank ranks, std::span<const std::int32_t> group_of)
      : ranks_(index(ranks)), group_of_(group_of) {}

  bool has_room(const Pair& pair) const {
    if (ranks_[index(pair.from)] || ranks_[index(pair.to)]) return false;
    return group_of_.empty() || !(groups_.contains(group_of_[index(pair.from)]) ||
                                  groups_.contains(group_of_[index(pair.to)]));
  }
  void take(const Pair& pair) {
    for (const Rank r : {pair.from, pair.to}) {
      ranks_[index(r)] = true;
      if (!group_of_.empty()) groups_.insert(group_of_[index(r)]);
    }
  }

 private:
  std::vector<bool> ranks_;
  std::set<std::int32_t> groups_;
  std::span<const std::int32_t> group_of_;
};

struct TestRound {
  std::vector<std::size_t> tests;
  Used used;
  bool of_ranks = false;
};

// Puts tests into rounds, the first of them first, while there is room. Routes share no group with
// one another; where no groups are known, few tests are made at once.
std::vector<TestRound> packed(const Wanted& wanted, std::span<const std::size_t> order,
                              const Probe& probe, Count most) {
  const auto room =
      static_cast<std::size_t>(std::max(1, probe.ranks / (probe.group_of.empty() ? 64 : 8)));
  std::vector<TestRound> rounds;
  for (const std::size_t test : order) {
    const bool of_ranks = test < wanted.of_ranks;
    std::size_t r = 0;
    while (r < rounds.size() && (rounds[r].of_ranks != of_ranks || rounds[r].tests.size() == room ||
                                 !rounds[r].used.has_room(wanted.tests[test])))
      ++r;
    if (r == rounds.size()) {
      if (static_cast<Count>(r) == most) continue;
      const std::span<const std::int32_t> groups = probe.group_of;
      rounds.push_back({{}, Used(probe.ranks, of_ranks ? groups.first(0) : groups), of_ranks});
    }
    rounds[r].tests.push_back(test);
    rounds[r].used.take(wanted.tests[test]);
  }
  return rounds;
}

// The classes of a pair's two directions: tests are compared with controls of the same ones.
using Classes = std::pair<int, int>;
Classes classes_of(const Probe& probe, const Pair& pair) {
  return std::minmax({probe.class_of(pair.from, pair.to), probe.class_of(pair.to, pair.from)});
}

// Pairs of these classes that nobody suspects, beside those that use the round.
std::vector<Pair> controls_beside(Used used, const std::vector<Classes>& wanted, const Probe& probe,
                                  const Suspects& suspects, const std::set<Pair>& routes,
                                  const Random& random) {
  std::vector<Rank> free;
  for (Rank r = 0; r < static_cast<Rank>(suspects.ranks.size()); ++r)
    if (!suspects.ranks[index(r)]) free.push_back(r);
  shuffle(free, random);
  std::vector<Pair> all;
  constexpr std::size_t kMostSteps = 64;  // of many ranks, enough for what is not rare
  const auto add = [&](const Classes& classes) {
    for (std::size_t step = 1; step < std::min(free.size(), kMostSteps); ++step)
      for (std::size_t i = 0; i + step < free.size(); ++i) {
        const Pair pair{free[i], free[i + step]};
        if (!used.has_room(pair) || routes.contains(ordered(pair.from, pair.to)) ||
            classes_of(probe, pair) != classes)
          continue;
        all.push_back(pair);
        used.take(pair);
        return;
      }
  };
  for (const Classes& classes : wanted) add(classes);
  return all;
}

// Tests of ranks first, in a random order otherwise: in each pass a test meets others.
std::vector<std::size_t> reordered(std::vector<std::size_t> tests, const Wanted& wanted,
                                   const Random& random) {
  shuffle(tests, random);
  std::ranges::stable_partition(tests, [&](std::size_t t) { return t < wanted.of_ranks; });
  return tests;
}

}  // namespace

void measure_round(const Probe& probe, Bytes bytes, std::size_t pass, std::span<PairTimes> times) {
  constexpr double kLeast = 1e-6;  // of a clock that is too coarse
  std::vector<Pair> there, back;
  for (const PairTimes& t : times) {
    there.push_back(t.pair);
    back.push_back({t.pair.to, t.pair.from});
  }
  const std::vector<double> small = probe.round_trips(there, kSmall),
                            large = probe.round_trips(there, bytes),
                            turned = probe.round_trips(back, bytes);
  expects(
      small.size() == times.size() && large.size() == times.size() && turned.size() == times.size(),
      "a time of each pair");
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i].latency[pass] = std::max(small[i] / 2, kLeast);
    times[i].there[pass] = std::max(large[i] - small[i], kLeast);
    times[i].back[pass] = std::max(turned[i] - small[i], kLeast);
  }
}

namespace {

// One pass over the tests, in at most `most` rounds.
class TestPass {
 public:
  TestPass(const Probe& probe, Bytes bytes, const Suspects& suspects, std::size_t pass,
           const std::function<void()>& done)
      : probe_(probe),
        bytes_(bytes),
        suspects_(suspects),
        random_(Random(suspects.seed).of(2 + pass)),
        pass_(pass),
        done_(done) {
    for (const Pair& p : suspects.routes) routes_.insert(ordered(p.from, p.to));
  }

  const Random& random() const { return random_; }
  Count rounds() const { return rounds_; }
  std::vector<PairTimes>& controls() { return controls_; }

  /// Measures a round, and pairs that nobody suspects beside it, or else after it.
  void measure(const TestRound& round, std::vector<PairTimes>& times, bool may_measure_after) {
    std::vector<PairTimes> now;
    std::vector<Classes> wanted;
    for (const std::size_t test : round.tests) {
      now.push_back(times[test]);
      wanted.push_back(classes_of(probe_, times[test].pair));
    }
    const std::size_t tests = round.tests.size();
    if (!probe_.group_of.empty()) add_controls(now, round.used, wanted);
    for (std::size_t i = tests; i < now.size(); ++i)
      std::erase(wanted, classes_of(probe_, now[i].pair));
    measure_now(now, tests);
    for (std::size_t i = 0; i < tests; ++i) times[round.tests[i]] = now[i];
    std::erase_if(wanted, [&](const Classes& classes) { return without_[classes]++ % 3 != 0; });
    if (wanted.empty() || !may_measure_after) return;
    std::vector<PairTimes> after;
    add_controls(after, Used(probe_.ranks, probe_.group_of), wanted);
    if (!after.empty()) measure_now(after, 0);
  }

 private:
  void add_controls(std::vector<PairTimes>& now, const Used& used,
                    const std::vector<Classes>& wanted) const {
    for (const Pair& pair : controls_beside(used, wanted, probe_, suspects_, routes_,
                                            random_.of(static_cast<std::uint64_t>(rounds_))))
      now.push_back({.pair = pair});
  }

  void measure_now(std::vector<PairTimes>& now, std::size_t controls_from) {
    measure_round(probe_, bytes_, pass_, now);
    controls_.insert(controls_.end(), now.begin() + static_cast<std::ptrdiff_t>(controls_from),
                     now.end());
    ++rounds_;
    done_();
  }

  const Probe& probe_;
  Bytes bytes_;
  const Suspects& suspects_;
  Random random_;
  std::size_t pass_;
  const std::function<void()>& done_;
  std::set<Pair> routes_;
  std::vector<PairTimes> controls_;
  Count rounds_ = 0;
  std::map<Classes, int> without_;  // tests whose round had no room for controls of theirs
};

}  // namespace

TestTimes test_suspects(const Probe& probe, Bytes bytes, const Suspects& suspects, Count most,
                        const std::function<void()>& done) {
  TestTimes result;
  const Wanted wanted = wanted_tests(suspects);
  std::vector<PairTimes> times(wanted.tests.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i].pair = wanted.tests[i];
  std::vector<std::size_t> chosen(times.size());  // those that had room in all passes so far
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    TestPass one(probe, bytes, suspects, pass, done);
    const std::vector<TestRound> rounds =
        packed(wanted, reordered(std::move(chosen), wanted, one.random()), probe, most);
    chosen.clear();
    for (std::size_t r = 0; r < rounds.size() && one.rounds() < most; ++r) {
      one.measure(rounds[r], times, one.rounds() + 2 <= most);
      chosen.insert(chosen.end(), rounds[r].tests.begin(), rounds[r].tests.end());
    }
    result.rounds = std::max(result.rounds, one.rounds());
    result.controls[pass] = std::move(one.controls());
  }
  for (const std::size_t test : chosen) result.suspects.push_back(times[test]);
  return result;
}

std::vector<DirectedTime> tested_times(const TestTimes& tests, Quantity quantity,
                                       const Usual& usual, const Probe& probe) {
  std::vector<DirectedTime> all =
      relative_times(directed_times(tests.suspects, quantity), usual, probe);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    std::map<int, std::vector<double>> controls;  // by class: each met others in the scan as often
    for (const DirectedTime& t :
         relative_times(directed_times(tests.controls[pass], quantity), usual, probe))
      controls[probe.class_of(t.from, t.to)].push_back(t.times[pass]);
    for (DirectedTime& t : all)
      if (const auto alike = controls.find(probe.class_of(t.from, t.to)); alike != controls.end())
        t.times[pass] /= std::max(median(alike->second), 1e-9);  // else as usual
  }
  return all;
}

}  // namespace arlab::hunt
