#include "bench/hunt/search/search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "bench/hunt/search/routes.hpp"
#include "bench/hunt/search/tests.hpp"

namespace arlab::hunt {
namespace {

constexpr double kMostSpread = 0.25;  // above it nothing can be told
constexpr double kLeastRoute = 1.25;  // times as long

// What one quantity of pairs says before and after the tests.
struct OfPairs {
  Quantity quantity;
  Usual usual;
  std::vector<DirectedTime> relative;
  std::vector<SlowRoute> routes;
};

class Searcher {
 public:
  Searcher(const Probe& probe, const SearchOptions& options)
      : probe_(probe), options_(options), plan_(plan_of(probe.ranks)) {}

  Search run() {
    known_ = kPasses * plan_.scan;
    scan();
    for (const Quantity quantity : {Quantity::copy, Quantity::addition}) judge_alone(quantity);
    std::vector<OfPairs> all;
    for (const Quantity quantity : {Quantity::latency, Quantity::bandwidth})
      all.push_back(compare(quantity));
    if (probe_.ranks < kFewestRanks) {
      found_.findings.clear();
      found_.verdict = Verdict::few;
      return std::move(found_);
    }
    const Suspects suspects = suspects_of(all);
    if (std::ranges::count(suspects.ranks, true) > 0 || !suspects.routes.empty()) {
      const Count most = plan_.most() - plan_.most_alone;
      tests_ = test_suspects(probe_, options_.bytes, suspects, most, [this] { step(); });
      found_.rounds += tests_.rounds;
      for (OfPairs& one : all) judge(one, suspects);
    }
    found_.relative = std::move(all.back().relative);
    for (Finding& f : found_.findings)
      f.is_within_group = f.place == Place::port && f.quantity == Quantity::bandwidth &&
                          is_slow_within_only(f.ranks.front());
    forget_chance();
    judge_losses();
    found_.verdict = !found_.findings.empty() ? Verdict::slow
                     : found_[Quantity::latency].is_noisy || found_[Quantity::bandwidth].is_noisy
                         ? Verdict::noisy
                         : Verdict::quiet;
    return std::move(found_);
  }

 private:
  void step() {
    ++done_;
    options_.progress(done_, std::max(known_, done_));
  }

  void scan() {
    std::vector<Rank> everyone(index(probe_.ranks));
    std::iota(everyone.begin(), everyone.end(), 0);
    const std::vector<PairRound> rounds = tournament(everyone, plan_.scan);
    found_.rounds = static_cast<Count>(rounds.size());
    for (const PairRound& round : rounds)
      for (const Pair& pair : round) found_.pairs.push_back({.pair = pair});
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
      if (probe_.copy) copies_.push_back(probe_.copy());
      if (probe_.add) additions_.push_back(probe_.add());
      if (pass == 0) options_.progress(0, known_);
      std::size_t first = 0;
      for (const PairRound& round : rounds) {
        measure_round(probe_, options_.bytes, pass,
                      std::span(found_.pairs).subspan(first, round.size()));
        first += round.size();
        step();
      }
    }
  }

  void judge_alone(Quantity quantity) {
    const auto& times = quantity == Quantity::copy ? copies_ : additions_;
    if (times.empty()) return;
    Outcome& outcome = found_[quantity];
    outcome.is_measured = true;
    outcome.usual_us = median(times.front());
    std::vector<DirectedTime> all;
    for (std::size_t r = 0; r < times.front().size(); ++r) {
      all.push_back({});
      for (std::size_t k = 0; k < kPasses; ++k) all.back().times[k] = times[k][r];
    }
    outcome.spread = spread_of(all);
    outcome.is_noisy = outcome.spread > kMostSpread;
    outcome.sends = scores_alone(times, quantity);
    for (Rank r = 0; r < probe_.ranks && !outcome.is_noisy; ++r) {
      const RankScore& score = outcome.sends[index(r)];
      if (!score.is_suspect) continue;
      found_.findings.push_back({.place = Place::rank,
                                 .quantity = quantity,
                                 .ranks = {r},
                                 .times = score.times,
                                 .z = score.z});
    }
  }

  // Whether a rank is slow with ranks of its group, but not with others: NVLink, and not the NIC.
  bool is_slow_within_only(Rank rank) const {
    if (probe_.group_of.empty()) return false;
    std::vector<double> within, across;
    for (const DirectedTime& t : found_.relative) {
      if (t.from != rank && t.to != rank) continue;
      const bool near = probe_.group_of[index(t.from)] == probe_.group_of[index(t.to)];
      (near ? within : across).push_back(median({t.times.begin(), t.times.end()}));
    }
    return !within.empty() && !across.empty() && median(std::move(within)) > kLeastRoute &&
           median(std::move(across)) < kLeastRoute;
  }

  // Where all else is too noisy to tell, the one quantity that is not is steady by chance.
  void forget_chance() {
    Count measured = 0, noisy = 0;
    for (const Quantity quantity : kQuantities) {
      measured += found_[quantity].is_measured ? 1 : 0;
      noisy += found_[quantity].is_noisy ? 1 : 0;
    }
    if (noisy > 1 && noisy + 1 == measured) found_.findings.clear();
  }

  void judge_losses() {
    if (!probe_.trips) return;
    const std::vector<Trips> trips = probe_.trips();
    Count late = 0;
    for (const Trips& t : trips) late += t.late;
    late /= 2;  // each has two ends
    for (std::size_t r = 0; r < trips.size(); ++r) {
      const Trips& t = trips[r];
      if (!is_more_than_chance(t.late, late, probe_.ranks)) continue;
      const double usual_us =
          2 * found_[Quantity::latency].usual_us * static_cast<double>(std::max<Count>(t.all, 1));
      found_.findings.push_back({.place = Place::port,
                                 .quantity = Quantity::loss,
                                 .ranks = {static_cast<Rank>(r)},
                                 .times = 1 + t.late_us / std::max(usual_us, 1e-9)});
    }
  }

  OfPairs compare(Quantity quantity) {
    OfPairs all{.quantity = quantity, .usual = {}, .relative = {}, .routes = {}};
    Outcome& outcome = found_[quantity];
    std::vector<DirectedTime> times = directed_times(found_.pairs, quantity);
    outcome.is_measured = !times.empty();
    if (times.empty()) return all;
    std::vector<double> values;
    for (const DirectedTime& t : times) values.push_back(median({t.times.begin(), t.times.end()}));
    outcome.usual_us = median(std::move(values));
    all.usual = usual_times(times, probe_);
    all.relative = relative_times(std::move(times), all.usual, probe_);
    outcome.spread = spread_of(all.relative);
    outcome.is_noisy = outcome.spread > kMostSpread;
    outcome.least_route = std::max(kLeastRoute, 1 + 3 * outcome.spread);
    outcome.sends = scores_of(all.relative, probe_.ranks, quantity, Side::sends);
    if (quantity == Quantity::bandwidth)
      outcome.receives = scores_of(all.relative, probe_.ranks, quantity, Side::receives);
    return all;
  }

  bool is_slow_alone(Rank rank) const {
    return std::ranges::any_of(found_.findings, [&](const Finding& f) {
      return f.place == Place::rank && f.ranks.front() == rank;
    });
  }

  // The ranks of one side, and with whom each was slow.
  void suspect(const OfPairs& one, Side side, std::span<const RankScore> scores,
               Suspects& suspects) const {
    if (scores.empty()) return;
    const auto is_suspect = [&](Rank r) {
      return scores[index(r)].is_suspect && !is_slow_alone(r);
    };
    for (Rank r = 0; r < probe_.ranks; ++r)
      if (is_suspect(r)) suspects.ranks[index(r)] = true;
    for (const DirectedTime& t : one.relative) {
      const auto [mine, other] =
          side == Side::sends ? std::pair(t.from, t.to) : std::pair(t.to, t.from);
      if (is_suspect(mine) &&
          median({t.times.begin(), t.times.end()}) > scores[index(mine)].halfway())
        suspects.slow_with[index(mine)].push_back(other);
    }
  }

  // Ranks that are slow by themselves need no test.
  Suspects suspects_of(std::vector<OfPairs>& all) const {
    Suspects suspects{.ranks = std::vector<bool>(index(probe_.ranks)),
                      .slow_with = std::vector<std::vector<Rank>>(index(probe_.ranks)),
                      .routes = {},
                      .seed = options_.seed};
    for (const OfPairs& one : all) {
      const Outcome& outcome = found_[one.quantity];
      if (outcome.is_noisy) continue;
      suspect(one, Side::sends, outcome.sends, suspects);
      suspect(one, Side::receives, outcome.receives, suspects);
    }
    for (OfPairs& one : all) {
      const Outcome& outcome = found_[one.quantity];
      if (outcome.is_noisy) continue;
      for (const DirectedTime& t : one.relative) {
        if (suspects.ranks[index(t.from)] || suspects.ranks[index(t.to)] || is_slow_alone(t.from) ||
            is_slow_alone(t.to) ||
            std::ranges::any_of(t.times, [&](double x) { return x <= outcome.least_route; }))
          continue;
        one.routes.push_back({.time = t});
        suspects.routes.push_back({t.from, t.to});
      }
    }
    return suspects;
  }

  void judge(OfPairs& one, const Suspects& suspects) {
    const Outcome& outcome = found_[one.quantity];
    if (outcome.is_noisy) return;
    const std::vector<DirectedTime> tested = tested_times(tests_, one.quantity, one.usual, probe_);
    judge_ranks(one.quantity, tested, suspects);
    std::map<Pair, DirectedTime> of_pair;
    for (const DirectedTime& t : tested) of_pair[{t.from, t.to}] = t;
    std::vector<SlowRoute> routes, untried;
    std::size_t refuted = 0;
    for (SlowRoute route : one.routes) {
      const auto again = of_pair.find({route.time.from, route.time.to});
      if (again == of_pair.end()) {
        untried.push_back(route);
        continue;
      }
      route.time = again->second;
      route.is_confirmed =
          std::ranges::all_of(route.time.times, [&](double x) { return x > outcome.least_route; });
      if (route.is_confirmed)
        routes.push_back(route);
      else
        ++refuted;  // it had met others
    }
    refuted += forget_met(routes, one);
    // Groups say enough of what those that were tested have in common; and where some had met
    // others, so may those that were not tested.
    constexpr std::size_t kFewRefuted = 10, kMostRefuted = 3;  // per route that is slow again
    if (probe_.group_of.empty() && plan_.is_sample && refuted > kMostRefuted * routes.size())
      return;  // with so many tests, some meet others each time
    if (probe_.group_of.empty() && refuted * kFewRefuted <= routes.size())
      routes.insert(routes.end(), untried.begin(), untried.end());
    std::ranges::move(slow_routes(routes, probe_.group_of, one.quantity),
                      std::back_inserter(found_.findings));
  }

  // A pair with nothing else under way; null if the rounds do not suffice.
  const PairTimes* measured_alone(const Pair& pair) {
    if (const auto known = alone_.find(pair); known != alone_.end()) return &known->second;
    if (tests_.rounds >= plan_.most()) return nullptr;
    std::vector<PairTimes> times{{.pair = pair}};
    for (std::size_t pass = 0; pass < kPasses; ++pass) {
      measure_round(probe_, options_.bytes, pass, times);
      step();
    }
    ++found_.rounds;
    ++tests_.rounds;
    return &alone_.emplace(pair, times.front()).first->second;
  }

  // Where many are tested, some meet others each time: a few of them once more, alone. If most of
  // these are not slow then, neither are those that were not tried. Returns how many are forgotten.
  std::size_t forget_met(std::vector<SlowRoute>& routes, const OfPairs& one) {
    TestTimes alone = tests_;
    alone.suspects.clear();
    const std::size_t few = std::min(routes.size(), index(plan_.most_alone));
    for (std::size_t i = 0; i < few; ++i) {
      const DirectedTime& time = routes[i * routes.size() / few].time;
      if (const PairTimes* const times = measured_alone({time.from, time.to}))
        alone.suspects.push_back(*times);
    }
    std::map<Pair, bool> slow;  // of those that were tried
    std::size_t slow_ones = 0;
    for (const DirectedTime& t : tested_times(alone, one.quantity, one.usual, probe_))
      slow[{t.from, t.to}] = std::ranges::all_of(
          t.times, [&](double x) { return x > found_[one.quantity].least_route; });
    std::size_t tried = 0;
    for (const SlowRoute& route : routes)
      if (const auto found = slow.find({route.time.from, route.time.to}); found != slow.end()) {
        ++tried;
        slow_ones += found->second ? 1 : 0;
      }
    const bool most_are_slow = 2 * slow_ones > tried;
    return std::erase_if(routes, [&](const SlowRoute& route) {
      const auto found = slow.find({route.time.from, route.time.to});
      return found == slow.end() ? !most_are_slow : !found->second;
    });
  }

  // The median of a suspect's times with others that are suspects or not, in the pass that makes it
  // least; and in the pass that makes it most.
  struct Medians {
    double least = 0, most = 0;  // 0: no such pair was tested
  };
  static Medians medians_of(std::span<const DirectedTime> tested, Rank rank, Side side,
                            const auto& is_meant) {
    Medians all;
    for (std::size_t k = 0; k < kPasses; ++k) {
      std::vector<double> times;
      for (const DirectedTime& t : tested) {
        const auto [mine, other] =
            side == Side::sends ? std::pair(t.from, t.to) : std::pair(t.to, t.from);
        if (mine == rank && is_meant(other)) times.push_back(t.times[k]);
      }
      if (times.empty()) return {};
      const double middle = median(std::move(times));
      all.least = k == 0 ? middle : std::min(all.least, middle);
      all.most = std::max(all.most, middle);
    }
    return all;
  }

  void judge_ranks(Quantity quantity, std::span<const DirectedTime> tested,
                   const Suspects& suspects) {
    std::map<Rank, Finding> ports;
    for (const Side side : {Side::sends, Side::receives}) {
      const Outcome& outcome = found_[quantity];
      const auto& scores = side == Side::sends ? outcome.sends : outcome.receives;
      std::vector<Rank> together;  // slow, but not with one another
      double times = 0;
      for (Rank r = 0; r < static_cast<Rank>(scores.size()); ++r) {
        const RankScore& score = scores[index(r)];
        if (!score.is_suspect || is_slow_alone(r)) continue;
        const Medians others =
            medians_of(tested, r, side, [&](Rank other) { return !suspects.ranks[index(other)]; });
        if (others.least <= score.halfway()) continue;  // they had met others
        const Medians alike = medians_of(
            tested, r, side, [&](Rank other) { return scores[index(other)].is_suspect; });
        if (alike.most > 0 && alike.most < score.halfway()) {
          together.push_back(r);
          times = std::max(times, score.times);
          continue;
        }
        add_port(ports[r], r, quantity, side, score);
      }
      if (!together.empty()) add_group(std::move(together), quantity, side, times);
    }
    for (auto& [rank, port] : ports) found_.findings.push_back(std::move(port));
  }

  static void add_port(Finding& port, Rank rank, Quantity quantity, Side side,
                       const RankScore& score) {
    const bool is_new = port.ranks.empty();
    const bool both = quantity == Quantity::latency;
    if (is_new)
      port = {.place = Place::port,
              .quantity = quantity,
              .ranks = {rank},
              .sends = both,
              .receives = both};
    (side == Side::sends ? port.sends : port.receives) = true;
    port.times = std::max(port.times, score.times);
    port.z = std::max(port.z, score.z);
  }

  void add_group(std::vector<Rank> ranks, Quantity quantity, Side side, double times) {
    for (Finding& f : found_.findings)
      if (f.place == Place::group && f.quantity == quantity && f.ranks == ranks) {
        f.sends = f.receives = true;
        f.times = std::max(f.times, times);
        return;
      }
    const bool both = quantity == Quantity::latency;
    found_.findings.push_back({.place = Place::group,
                               .quantity = quantity,
                               .ranks = std::move(ranks),
                               .sends = both || side == Side::sends,
                               .receives = both || side == Side::receives,
                               .times = times});
  }

  const Probe& probe_;
  const SearchOptions& options_;
  Plan plan_;
  Search found_;
  std::vector<std::vector<double>> copies_, additions_;  // by pass
  TestTimes tests_;
  std::map<Pair, PairTimes> alone_;
  Count done_ = 0, known_ = 0;
};

}  // namespace

Search search(const Probe& probe, const SearchOptions& options) {
  return Searcher(probe, options).run();
}

}  // namespace arlab::hunt
