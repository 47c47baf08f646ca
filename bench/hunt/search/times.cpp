#include "bench/hunt/search/times.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::hunt {
namespace {

// The median of the ranks' own medians: the pairs of a few slow ranks may be half of all.
double median_of_ranks(std::span<const DirectedTime> times, std::size_t pass) {
  std::map<Rank, std::vector<double>> of_rank;
  for (const DirectedTime& t : times) of_rank[t.from].push_back(t.times[pass]);
  std::vector<double> all;
  for (auto& [rank, values] : of_rank) all.push_back(median(std::move(values)));
  return median(std::move(all));
}

}  // namespace

std::vector<DirectedTime> directed_times(std::span<const PairTimes> pairs, Quantity quantity) {
  std::vector<DirectedTime> all;
  all.reserve(2 * pairs.size());
  const bool is_latency = quantity == Quantity::latency;
  for (const PairTimes& p : pairs) {
    all.push_back({p.pair.from, p.pair.to, is_latency ? p.latency : p.there});
    all.push_back({p.pair.to, p.pair.from, is_latency ? p.latency : p.back});
  }
  return all;
}

double median(std::vector<double> values) {
  expects(!values.empty(), "a median of something");
  const std::size_t middle = values.size() / 2;
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

Usual usual_times(std::span<const DirectedTime> times, const Probe& probe) {
  constexpr std::size_t kFewest = 12;  // directed: 6 pairs
  std::map<int, std::vector<DirectedTime>> classes;
  for (const DirectedTime& t : times) classes[probe.class_of(t.from, t.to)].push_back(t);
  Usual usual;
  for (const auto& [number, members] : classes) {
    // All pairs count where no others are.
    if (members.size() < kFewest && classes.size() > 1) continue;
    for (std::size_t k = 0; k < kPasses; ++k)
      usual[number][k] = std::max(median_of_ranks(members, k), 1e-9);
  }
  return usual;
}

std::vector<DirectedTime> relative_times(std::vector<DirectedTime> times, const Usual& usual,
                                         const Probe& probe) {
  std::erase_if(times, [&](DirectedTime& t) {
    const auto of = usual.find(probe.class_of(t.from, t.to));
    if (of == usual.end()) return true;
    for (std::size_t k = 0; k < kPasses; ++k) t.times[k] /= of->second[k];
    return false;
  });
  return times;
}

double spread_of(std::span<const DirectedTime> times) {
  if (times.empty()) return 0;
  std::vector<double> all;
  for (const DirectedTime& t : times) {
    const auto [least, most] = std::minmax_element(t.times.begin(), t.times.end());
    all.push_back((*most - *least) / std::max(*least, 1e-9));
  }
  return median(std::move(all));
}

}  // namespace arlab::hunt
