// CollectiveTimes: the times of a plan's collectives on idle networks, each simulated once per
// size.
#pragma once

#include <map>
#include <tuple>

#include "training/simulation/training_plan.hpp"

namespace arlab::training {

class CollectiveTimes {
 public:
  /// Most messages of one collective that a simulation may take: seconds.
  static constexpr Count kMostMessages = 40'000'000;

  /// The plan must outlive it.
  CollectiveTimes(const TrainingPlan& plan, MakeNetwork network)
      : plan_(plan), network_(std::move(network)) {}

  /// Returns the time from the start of all ranks to the end of the last, with the plan's
  /// bandwidth. Throws Error(usage) for a collective of more than kMostMessages.
  Time of(Collective collective, Count elements, Bytes element_size,
          Carrier carrier = Carrier::algorithm);
  /// Returns the time of all parts, without coding.
  Time of(const std::vector<Transmission>& parts);
  /// Returns what remains of the time of such a collective without bytes.
  Time startup(Collective collective, Carrier carrier);
  /// Returns the bytes that a rank sends in all parts, mean over the ranks.
  double sent(const std::vector<Transmission>& parts);

  /// Returns a line through the times of a small and a large allreduce, as measured_link() does.
  LinkCost link();

 private:
  using Key = std::tuple<Collective, Count, Bytes, Carrier>;

  const Algorithm& carried_by(Carrier carrier);

  const TrainingPlan& plan_;
  MakeNetwork network_;
  std::map<Key, Time> known_;
  std::map<Carrier, Algorithm> levels_;
};

}  // namespace arlab::training
