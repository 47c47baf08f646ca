// Strategy: how replicas are kept in step.
//
// One object works for one rank. A worker's step is: start_step, forward and backward (in which it
// is told of each gradient that is ready), finish_step. Where the strategy has servers, the last
// ranks are no workers and call start_step and finish_step only.
//
// To add one, write training/strategies/catalog/<name>.cpp with `StrategyKind <name>()` in
// namespace arlab::training::strategy_catalog, and one test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/placement.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/gradient_exchange.hpp"
#include "training/replica/finite.hpp"
#include "training/replica/optimizer.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

struct StrategyOptions {
  Rank servers = 1;  ///< of the parameter servers
  Count bound = 1;   ///< stale_synchronous: steps that a worker may be ahead of the slowest
  Count every = 8;   ///< local_sgd: steps between two averages
  GradientOptions gradients = {};
};

/// What a strategy works on; all of it outlives the strategy.
struct StrategyContext {
  Parameters& parameters;
  Optimizer& optimizer;
  Exchange& exchange;
  Rank rank = 0;
  Rank workers = 1;  ///< ranks 0 to workers - 1; those from there on are servers
  Rank ranks = 1;
  StrategyOptions options;

  bool serves() const { return rank >= workers; }
};

struct Step {
  Count number = 0;  ///< from the beginning of the training
  double learning_rate = 0;
};

/// How many updates were made from weights that were so many updates old.
using Staleness = std::map<Count, Count>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Steps follow from that number on, so many, until settle().
  virtual void start_epoch(Count /*first*/, Count /*steps*/) {}
  virtual void start_step(const Step&) {}
  /// The forward pass is about to use a variable.
  virtual void need(std::size_t /*variable*/) {}
  /// The gradient of a variable is complete; called within the backward pass.
  virtual void ready(std::size_t /*variable*/) {}
  /// On return the replica holds the weights for the next step, or will when they are needed.
  virtual void finish_step(const Step&) = 0;
  /// Whether it holds them: nothing is under way, and gradients are of no use any more.
  virtual bool is_whole() const { return true; }
  /// On return it does. Every rank calls it.
  virtual void flush() {}
  /// Ends an epoch: on return all workers hold the same weights. Every rank calls it.
  virtual void settle() {}

  /// What this rank alone must keep from step to step beside weights and moments; when settled.
  using State = GradientExchange::State;
  virtual State state() { return {}; }
  /// Before the first step.
  virtual void restore(State) {}

  virtual Staleness staleness() const { return {}; }
};

struct StrategyKind {
  std::string_view name;  ///< the file's stem and the command line's word
  std::string_view summary;
  std::string_view source;
  /// The only one of its ranks, for strategies on threads or processes; empty: any.
  std::optional<collectives::Placement> placement = {};
  bool synchronous = true;        ///< n workers train as one with the whole batch does
  bool equal_replicas = true;     ///< after each step all workers hold the same weights
  bool direct = false;            ///< gradients go from rank to rank, by no algorithm
  bool schedules = false;         ///< gradients travel by a scheduler
  bool staggers = false;          ///< workers may begin one after another, as a scheduler says
  bool compresses = false;        ///< they may be compressed
  bool has_servers = false;       ///< StrategyOptions::servers of the ranks are no workers
  bool own_moments = false;  ///< each rank has moments of its own, which a checkpoint must keep
  bool local_batch = false;  ///< a worker's loss is divided by its own batch
  std::string_view route = "ring";  ///< the algorithm where none was asked for
  std::unique_ptr<Strategy> (*make)(const StrategyContext&) = nullptr;
  std::string (*unsupported_reason)(const StrategyContext&) =
      nullptr;  ///< optional: reason, or empty
};

/// Every strategy of the catalogue, by name.
std::span<const StrategyKind> strategies();

/// Throws Error(usage) naming the nearest strategy when there is none of that name.
const StrategyKind& find_strategy(std::string_view name);

/// Throws Error(usage) if the strategy cannot work there.
std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const StrategyContext& station);

/// One step of the optimizer on all weights.
void apply_all(const StrategyContext& station, const Step& step);

/// Replaces the data on every rank by their mean over the workers; those of servers are left out.
void average(const StrategyContext& station, const CollectiveId& id, std::span<float> data);

}  // namespace arlab::training
