#include "bench/hunt/pair_timer.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "bench/calibrate/exchanger.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

constexpr Bytes kAnswer = 8;

}  // namespace

PairTimer::PairTimer(collectives::Communicator& communicator, MessageEnds ends)
    : communicator_(communicator), ends_(std::move(ends)), trips_(index(communicator.ranks())) {}

std::vector<double> PairTimer::round_trips(std::span<const hunt::Pair> pairs, Bytes bytes) {
  const int repetitions = bytes <= kLeastRoom ? 21 : 4;  // the first opens the connection
  const Rank me = communicator_.rank();
  double mine = 0;
  communicator_.barrier();
  for (const hunt::Pair& pair : pairs) {
    if (pair.from == me) mine = first_end(pair.to, bytes, repetitions);
    if (pair.to == me) second_end(pair.from, bytes, repetitions);
  }
  const std::vector<double> of_rank = by_rank(mine);
  std::vector<double> all;
  for (const hunt::Pair& pair : pairs) all.push_back(of_rank[index(pair.from)]);
  return all;
}

std::vector<double> PairTimer::least_alone(const std::function<double()>& once) {
  constexpr int kRepetitions = 5;
  communicator_.barrier();
  double least = once();
  for (int k = 1; k < kRepetitions; ++k) least = std::min(least, once());
  return by_rank(least);
}

double PairTimer::first_end(Rank peer, Bytes bytes, int repetitions) {
  std::vector<double> times;
  for (int k = 0; k < repetitions; ++k) {
    const double start = now();
    ends_.send(peer, bytes);
    ends_.receive(peer, kAnswer);
    if (k > 0) times.push_back(1e6 * (now() - start));
  }
  const double usual = median_of(times);
  if (bytes <= kLeastRoom) note_trips(peer, times, usual);
  return usual;
}

void PairTimer::note_trips(Rank peer, const std::vector<double>& times, double usual) {
  for (const Rank end : {communicator_.rank(), peer}) {
    hunt::Trips& trips = trips_[index(end)];
    trips.all += static_cast<Count>(times.size());
    for (const double t : times)
      if (t > usual + hunt::kLateUs) {
        ++trips.late;
        trips.late_us += t;
      }
  }
}

std::vector<hunt::Trips> PairTimer::trips() {
  std::string text(trips_.size() * sizeof(hunt::Trips), '\0');
  std::memcpy(text.data(), trips_.data(), text.size());
  std::vector<hunt::Trips> all(trips_.size()), one(trips_.size());
  for (const std::string& theirs : collectives::share_all(communicator_, text)) {
    std::memcpy(one.data(), theirs.data(), text.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
      all[r].all += one[r].all;
      all[r].late += one[r].late;
      all[r].late_us += one[r].late_us;
    }
  }
  return all;
}

void PairTimer::second_end(Rank peer, Bytes bytes, int repetitions) {
  for (int k = 0; k < repetitions; ++k) {
    ends_.receive(peer, bytes);
    ends_.send(peer, kAnswer);
  }
}

std::vector<double> PairTimer::by_rank(double mine) {
  std::string text(sizeof mine, '\0');
  std::memcpy(text.data(), &mine, text.size());
  std::vector<double> all;
  for (const std::string& one : collectives::share_all(communicator_, text)) {
    std::memcpy(&mine, one.data(), text.size());
    all.push_back(mine);
  }
  return all;
}

std::vector<std::int32_t> machine_groups(collectives::Communicator& communicator) {
  const std::vector<Rank> machines = communicator.machines();
  if (std::ranges::all_of(machines, [&](Rank m) { return m == machines.front(); })) return {};
  return {machines.begin(), machines.end()};
}

}  // namespace arlab::bench
