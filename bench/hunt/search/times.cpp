#include "bench/hunt/search/times.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::hunt {
namespace {

bool is_within(const DirectedTime& time, std::span<const std::int32_t> group_of) {
  return !group_of.empty() && group_of[index(time.from)] == group_of[index(time.to)];
}

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

Usual usual_times(std::span<const DirectedTime> times, std::span<const std::int32_t> group_of) {
  constexpr std::size_t kFewest = 12;  // directed: 6 pairs
  Usual usual;
  for (const bool within : {true, false}) {
    std::vector<DirectedTime> meant;
    for (const DirectedTime& t : times)
      if (is_within(t, group_of) == within) meant.push_back(t);
    // All pairs count where no others are.
    if (meant.empty() || (meant.size() < kFewest && meant.size() < times.size())) continue;
    Passes medians{};
    for (std::size_t k = 0; k < kPasses; ++k)
      medians[k] = std::max(median_of_ranks(meant, k), 1e-9);
    (within ? usual.within : usual.between) = medians;
  }
  return usual;
}

std::vector<DirectedTime> relative_times(std::vector<DirectedTime> times, const Usual& usual,
                                         std::span<const std::int32_t> group_of) {
  std::erase_if(times, [&](DirectedTime& t) {
    const std::optional<Passes>& of = is_within(t, group_of) ? usual.within : usual.between;
    if (!of) return true;
    for (std::size_t k = 0; k < kPasses; ++k) t.times[k] /= (*of)[k];
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
