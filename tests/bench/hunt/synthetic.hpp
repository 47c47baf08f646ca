// A synthetic cluster for tests of the search: leaves and spines with a hash, faults, and noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/base/random.hpp"
#include "bench/hunt/search/search.hpp"

namespace synthetic {

using namespace arlab;
using namespace arlab::hunt;

struct Cluster {
  Rank ranks = 16, leaf = 1;  ///< hosts per leaf; 1: a crossbar
  int spines = 1;
  double noise = 0;  ///< relative
  std::uint64_t seed = 1;
  bool collides = false;     ///< messages of a round share uplinks, which are as fast as hosts
  bool knows_leaves = true;  ///< the search knows them
  // Faults: how many times as long it takes.
  std::map<Rank, double> sends = {}, receives = {}, late = {}, alone = {};
  std::map<Pair, double> links = {};
  double uplink = 1;           ///< of leaf 0 to spine 0, both directions
  double uplinks_of_leaf = 1;  ///< of leaf 0, all

  mutable std::uint64_t draws = 0;

  double noisy(double value) const {  // about normal: the sum of 12 uniform numbers
    const Random random(seed);
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random(draws++) >> 11) * 0x1p-53;
    return value * std::exp(noise * sum);
  }
  Rank leaf_of(Rank r) const { return r / leaf; }
  int spine_of(Rank from, Rank to) const {
    return static_cast<int>(
        mixed(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to)) %
        static_cast<std::uint64_t>(spines));
  }
  static double fault(const auto& faults, const auto& key) {
    const auto found = faults.find(key);
    return found == faults.end() ? 1 : found->second;
  }

  // How many times as long the bytes of a message take, with the messages that share its uplinks.
  double factor(Rank from, Rank to, std::span<const Pair> round) const {
    double worst =
        std::max({fault(sends, from), fault(receives, to), fault(links, Pair{from, to})});
    const Rank a = leaf_of(from), b = leaf_of(to);
    if (leaf == 1 || a == b) return worst;
    const int spine = spine_of(from, to);
    double up = 1, down = 1;
    if (collides) {
      up = down = 0;
      for (const Pair& p : round)
        if (leaf_of(p.from) != leaf_of(p.to) && spine_of(p.from, p.to) == spine) {
          up += leaf_of(p.from) == a ? 1 : 0;
          down += leaf_of(p.to) == b ? 1 : 0;
        }
    }
    const auto faulty = [&](Rank of) {
      return of != 0 ? 1 : std::max(uplinks_of_leaf, spine == 0 ? uplink : 1);
    };
    return std::max({worst, up * faulty(a), down * faulty(b)});
  }

  Probe probe() const {
    constexpr double kLatency = 5, kBytesPerUs = 10'000;
    Probe all{.ranks = ranks};
    if (leaf > 1 && knows_leaves)
      for (Rank r = 0; r < ranks; ++r) all.group_of.push_back(leaf_of(r));
    all.round_trips = [this](std::span<const Pair> round, Bytes bytes) {
      std::vector<double> times;
      for (const Pair& p : round) {
        const double latency = kLatency * std::max(fault(late, p.from), fault(late, p.to));
        const double flow = static_cast<double>(bytes) / kBytesPerUs;
        times.push_back(noisy(2 * latency) +
                        (bytes > 100 ? noisy(flow * factor(p.from, p.to, round)) : 0));
      }
      return times;
    };
    all.copy = all.add = [this] {
      std::vector<double> times;
      for (Rank r = 0; r < ranks; ++r) times.push_back(noisy(100 * fault(alone, r)));
      return times;
    };
    return all;
  }

  Search found() const { return search(probe()); }
};

}  // namespace synthetic
