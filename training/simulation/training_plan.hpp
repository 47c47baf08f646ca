// TrainingPlan: what a simulated training run does: layers, strategy, scheduler, compression, and
// the collective that carries gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"
#include "simulator/network.hpp"
#include "training/compressors/codec_cost.hpp"
#include "training/schedulers/scheduler.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

/// Who carries a collective: the plan's algorithm, the same for codes, a level of it in groups, a
/// tree, or messages straight to the owners of chunks (to_owners.hpp).
enum class Carrier : std::uint8_t {
  algorithm,
  codes,
  within_groups,
  across_groups,
  tree,
  to_owners
};

struct TrainingPlan {
  Profile layers = {};                    ///< in words of kGradientBytes
  Bytes gradient_bytes = kGradientBytes;  ///< of an element; codes count elements, not words
  const StrategyKind* strategy = nullptr;
  Bytes unit = StrategyOptions{}.unit;  ///< of a sharded strategy: gradients exchanged together
  Values values = {};                   ///< of the strategy's parameters; others are ignored
  Rank servers = 0;                     ///< of a strategy with parameter servers: the last ranks
  const SchedulerKind* scheduler = nullptr;
  Values scheduling = {};
  const Algorithm* algorithm = nullptr;
  int segments = 1;
  std::shared_ptr<const Groups> groups = {};
  std::shared_ptr<const RankGrid> grid = {};
  Rank ranks = 1;

  struct Compression {
    CompressorChoice choice = {};
    Aggregation aggregation = Aggregation::all_gather;
    CodecCost codec = {};
  };
  std::optional<Compression> compression = {};

  std::vector<double> slowdown = {};  ///< factors on computation, by rank; 1 for those beyond
  double jitter = 0;                  ///< maximum random extra time of a computation, as a fraction
  std::uint64_t seed = 0;
  int steps = 12;  ///< at least 4
  /// In multiples of the network's: messages take as long as on it with as many times fewer bytes.
  /// Start-up, coding, and what a scheduler bundles stay.
  Count bandwidth = 1;

  /// Returns the value of the strategy's parameter; `or_else` if it has none of that name.
  Count parameter(std::string_view name, Count or_else = 0) const {
    return parameter_of(*strategy, values, name, or_else);
  }
  /// Returns how many of so many bytes, or elements, take as long on the network itself.
  Count carried(Count count) const { return (count + bandwidth - 1) / bandwidth; }
  /// Returns the pieces of a collective: of gradients only, as in CodeExchange.
  int segments_of(Carrier carrier) const { return carrier == Carrier::algorithm ? segments : 1; }
  Rank workers() const { return ranks - servers; }
  bool serves(Rank rank) const { return rank >= workers(); }
  Problem problem(Collective collective, Count elements) const {
    return {.collective = collective,
            .ranks = ranks,
            .elements = elements,
            .groups = groups.get(),
            .grid = grid.get()};
  }
  double slowdown_of(Rank rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < slowdown.size() ? slowdown[r] : 1;
  }
  /// Returns the first worker of the largest factor.
  Rank slowest_worker() const {
    Rank slowest = 0;
    for (Rank worker = 1; worker < workers(); ++worker)
      if (slowdown_of(worker) > slowdown_of(slowest)) slowest = worker;
    return slowest;
  }
  /// Returns the factor of the fastest worker.
  double least_slowdown() const {
    double least = slowdown_of(workers() - 1);
    for (const double one : slowdown) least = std::min(least, one);
    return least;
  }
};

/// Throws Error(usage), with the remedy, for a plan that cannot be simulated: an algorithm that
/// does not support the ranks or that scheduler, a scheduler or compressor that the strategy does
/// not use, codes of unknown size, servers without workers, and a negative staleness bound.
void check(const TrainingPlan& plan);

/// Returns the collectives that carry gradients and weights in the plan.
std::vector<Collective> collectives_of(const TrainingPlan& plan);

/// Returns why the plan's algorithm cannot carry its collectives in its segments, and the remedy;
/// empty if it can.
std::string unsupported_algorithm(const TrainingPlan& plan);

/// Returns why the plan cannot carry its compression, and the remedy; empty if it can.
std::string unsupported_compression(const TrainingPlan& plan);

/// A part of an exchange: coding, then one collective.
struct Transmission {
  std::optional<Time> codec = {};  ///< nothing: no code is made before it
  Collective collective = Collective::allreduce;
  Count elements = 0;
  Bytes element_size = kGradientBytes;
  Carrier carrier = Carrier::algorithm;
};

/// Returns the time of coding before all of them.
Time coding_of(const std::vector<Transmission>& parts);

/// Returns the algorithm of a carrier that is no level in groups.
const Algorithm& algorithm_of(const TrainingPlan& plan, Carrier carrier);

/// Returns what a periodic strategy exchanges after the given number of steps, one bundle per
/// fragment.
std::vector<Bundle> outer_bundles(const TrainingPlan& plan, Count steps);

/// Returns what exchanges the bundle, in order: a dense bundle in one; codes one by one, which are
/// of a bundle if bundles are fixed from the beginning, else of a slice. Codes have their
/// closed-form size.
std::vector<Transmission> transmissions_of(const TrainingPlan& plan, const Bundle& bundle);

/// Returns the broadcasts by which the leader announces the bundle; none if all ranks compute the
/// same order.
std::vector<Transmission> announcements_of(const TrainingPlan& plan, const Bundle& bundle);

}  // namespace arlab::training
