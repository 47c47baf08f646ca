#include "collectives/host/clock_sync.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <thread>
#include <vector>

#include "collectives/host/gatherv.hpp"

namespace arlab::collectives {
namespace {

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// An offset of two clocks, and the time of the messages that it comes from.
struct Offset {
  double local = 0, offset = 0, round_trip = 0;
};

// Answers with this rank's time on the shared clock.
void answer(Communicator& communicator, Rank client, const ClockModel& model, int pings) {
  for (int k = 0; k < pings; ++k) {
    double question = 0;
    transmit(communicator, client, communicator.rank(), bytes_of(question));
    double time = model.global(communicator.clock().now());
    transmit(communicator, communicator.rank(), client, bytes_of(time));
  }
}

// The fastest exchange is the one that waited least.
Offset ask(Communicator& communicator, Rank reference, int pings) {
  Offset best{.round_trip = INFINITY};
  for (int k = 0; k < pings; ++k) {
    double question = 0, time = 0;
    const double start = communicator.clock().now();
    transmit(communicator, communicator.rank(), reference, bytes_of(question));
    transmit(communicator, reference, communicator.rank(), bytes_of(time));
    const double stop = communicator.clock().now();
    const double middle = (start + stop) / 2;
    if (stop - start < best.round_trip) best = {middle, time - middle, stop - start};
  }
  return best;
}

// Least squares, without the points whose messages took much longer than others.
ClockModel fitted(std::vector<Offset> points) {
  double fastest = INFINITY;
  for (const Offset& p : points) fastest = std::min(fastest, p.round_trip);
  std::erase_if(points, [&](const Offset& p) { return p.round_trip > 2 * fastest; });
  ClockModel model;
  const auto n = static_cast<double>(points.size());
  for (const Offset& p : points) {
    model.origin += p.local / n;
    model.offset += p.offset / n;
  }
  double products = 0, squares = 0;
  for (const Offset& p : points) {
    products += (p.local - model.origin) * (p.offset - model.offset);
    squares += (p.local - model.origin) * (p.local - model.origin);
  }
  if (squares > 0) model.slope = products / squares;
  return model;
}

ClockModel learned(Communicator& communicator, Rank reference, const ClockSyncOptions& options) {
  std::vector<Offset> points;
  for (int k = 0; k < options.points; ++k) {
    if (k > 0)
      std::this_thread::sleep_for(
          std::chrono::duration<double>(options.seconds / (options.points - 1)));
    points.push_back(ask(communicator, reference, options.pings));
  }
  return fitted(std::move(points));
}

// The first rank of each machine, that of rank 0 first; and of `me`'s machine.
struct Leaders {
  Leaders(const std::vector<Rank>& machines, Rank me) {
    std::vector<Rank> seen;
    for (Rank rank = 0; rank < static_cast<Rank>(machines.size()); ++rank) {
      const Rank machine = machines[static_cast<std::size_t>(rank)];
      const auto known = std::find(seen.begin(), seen.end(), machine);
      const auto place = static_cast<std::size_t>(known - seen.begin());
      if (known == seen.end()) {
        seen.push_back(machine);
        all.push_back(rank);
      }
      if (rank == me) mine = place;
    }
  }
  std::vector<Rank> all;
  std::size_t mine = 0;  ///< index of my machine's
};

}  // namespace

ClockModel synchronize_clocks(Communicator& communicator, const ClockSyncOptions& options) {
  const Rank me = communicator.rank();
  const std::vector<Rank> machines = communicator.machines();
  const Leaders leaders(machines, me);
  ClockModel model;
  if (leaders.all.size() == 1) return model;
  std::size_t step = 1;
  while (2 * step < leaders.all.size()) step *= 2;
  if (leaders.all[leaders.mine] == me)
    for (; step > 0; step /= 2) {
      if (leaders.mine % (2 * step) == 0 && leaders.mine + step < leaders.all.size())
        answer(communicator, leaders.all[leaders.mine + step], model,
               options.points * options.pings);
      if (leaders.mine % (2 * step) == step)
        model = learned(communicator, leaders.all[leaders.mine - step], options);
    }
  const Rank leader = leaders.all[leaders.mine];
  for (Rank rank = 0; rank < communicator.ranks(); ++rank)
    if (rank != leader &&
        machines[static_cast<std::size_t>(rank)] == machines[static_cast<std::size_t>(leader)])
      transmit(communicator, leader, rank, bytes_of(model));
  return model;
}

double clock_deviation(Communicator& communicator, const ClockModel& mine, int pings) {
  const Leaders leaders(communicator.machines(), communicator.rank());
  double deviation = 0;
  for (std::size_t i = 1; i < leaders.all.size(); ++i) {
    if (communicator.rank() == leaders.all.front())
      answer(communicator, leaders.all[i], mine, pings);
    if (communicator.rank() != leaders.all[i]) continue;
    const Offset now = ask(communicator, leaders.all.front(), pings);
    deviation = std::abs(now.local + now.offset - mine.global(now.local));
  }
  return leaders.all.size() > 1 ? communicator.max(deviation) : 0;
}

}  // namespace arlab::collectives
