#include "bench/measure/late_entry.hpp"

#include <algorithm>
#include <limits>

#include "algorithms/base/error.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {

LateEntry split_late_entry(std::span<const Intervals> by_rank, int repeats) {
  expects(!by_rank.empty() && !by_rank.front().empty(), "late entry needs runs");
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> own, mean, longest, entry, exit;
  for (std::size_t run = 0; run < by_rank.front().size(); ++run) {
    double first_in = kNever, last_in = -kNever, first_out = kNever, last_out = -kNever;
    for (const Intervals& rank : by_rank) {
      first_in = std::min(first_in, rank[run].enter);
      last_in = std::max(last_in, rank[run].enter);
      first_out = std::min(first_out, rank[run].leave);
      last_out = std::max(last_out, rank[run].leave);
    }
    double sum = 0, most = 0;
    for (const Intervals& rank : by_rank) {  // one that leaves early, such as a source, waits less
      const double waited = std::max(0.0, std::min(last_in, rank[run].leave) - rank[run].enter);
      sum += waited;
      most = std::max(most, waited);
    }
    own.push_back(1e6 * std::max(0.0, last_out - last_in) / repeats);
    mean.push_back(1e6 * sum / static_cast<double>(by_rank.size()));
    longest.push_back(1e6 * most);
    entry.push_back(1e6 * (last_in - first_in));
    exit.push_back(1e6 * (last_out - first_out));
  }
  return {summarize(std::move(own)), summarize(std::move(mean)), summarize(std::move(longest)),
          summarize(std::move(entry)), summarize(std::move(exit))};
}

std::vector<Intervals> gather_intervals(collectives::Communicator& communicator,
                                        const Intervals& mine) {
  const Rank me = communicator.rank(), ranks = communicator.ranks();
  std::vector<Intervals> all;
  if (me == 0) all.assign(static_cast<std::size_t>(ranks), Intervals(mine.size()));
  Intervals copy = mine;
  for (Rank rank = 1; rank < ranks; ++rank)
    collectives::transmit(
        communicator, rank, 0,
        std::as_writable_bytes(std::span(me == 0 ? all[static_cast<std::size_t>(rank)] : copy)));
  if (me == 0) all.front() = mine;
  return all;
}

}  // namespace arlab::bench
