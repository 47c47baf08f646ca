// CollectiveTimes: the times of a plan's collectives on idle networks, each simulated once per
// size.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "training/simulation/training_plan.hpp"

namespace arlab::training {

class CollectiveTimes {
 public:
  /// Most messages of one collective that a simulation may take: seconds.
  static constexpr Count kMostMessages = 40'000'000;

  /// Who carries a collective: the plan's algorithm, a tree, or a level of the plan's algorithm in
  /// groups.
  enum class Carrier : std::uint8_t { algorithm, tree, within_groups, across_groups };

  /// The plan must outlive it.
  CollectiveTimes(const TrainingPlan& plan, MakeNetwork network)
      : plan_(plan), network_(std::move(network)) {}

  /// Returns the time from the start of all ranks to the end of the last. Throws Error(usage) for a
  /// collective of more than kMostMessages.
  Time of(Collective collective, Count elements, Bytes element_size,
          Carrier carrier = Carrier::algorithm);
  /// Returns the time of all parts, without coding.
  Time of(const std::vector<Transmission>& parts, Carrier carrier = Carrier::algorithm);
  /// Returns the bytes that a rank sends in one, mean over the ranks.
  double sent(const std::vector<Transmission>& parts, Carrier carrier = Carrier::algorithm);

  /// Returns a line through the times of a small and a large allreduce, as measured_link() does.
  LinkCost link();

 private:
  using Key = std::tuple<Collective, Count, Bytes, Carrier>;

  const Algorithm& algorithm_of(Carrier carrier);
  int segments_of(Carrier carrier) const { return carrier == Carrier::tree ? 1 : plan_.segments; }

  const TrainingPlan& plan_;
  MakeNetwork network_;
  std::map<Key, Time> known_;
  std::map<Carrier, Algorithm> levels_;
};

}  // namespace arlab::training
