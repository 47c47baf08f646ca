// Strategy: keeps the replicas synchronized.
//
// One object serves one rank. A worker's step calls start_step, runs forward and backward passes
// (which call need and ready), and calls finish_step. If the strategy has servers, the last ranks
// are servers, which call only start_step and finish_step.
//
// To add one, write training/strategies/catalog/<name>.cpp with `StrategyKind <name>()` in
// namespace arlab::training::strategy_catalog, and one test.
#pragma once

#include <cstdint>
#include <functional>
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
#include "training/replica/flat_range.hpp"
#include "training/replica/gradient_parts.hpp"
#include "training/replica/optimizer.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

struct StrategyOptions {
  Values values = {};     ///< of the strategy's parameters; others are ignored
  Count check_every = 0;  ///< steps between comparisons of the replicas; 0: none within an epoch
  Bytes unit = 25 << 20;  ///< of the sharded strategies: gradients that are exchanged together
  GradientOptions gradients = {};
};

/// What a strategy works on; everything outlives the strategy.
struct StrategyContext {
  Parameters& parameters;
  Optimizer& optimizer;
  Exchange& exchange;
  Rank rank = 0;
  Rank workers = 1;  ///< ranks 0 to workers - 1; all later ranks are servers
  Rank ranks = 1;
  StrategyOptions options;

  bool serves() const { return rank >= workers; }
  /// Returns the value of a parameter that the strategy has.
  double value(std::string_view parameter) const { return options.values.find(parameter)->second; }
  Count count(std::string_view parameter) const { return static_cast<Count>(value(parameter)); }
};

struct Step {
  Count number = 0;  ///< counts from the beginning of training
  double learning_rate = 0;
  /// Samples of this worker, and of all workers; known when the step ends. 0: all have equally
  /// many.
  Count samples = 0, global = 0;
};

/// Sums over steps what share of the samples a worker had.
class SampleShare {
 public:
  void add(const Step& step) { samples_ += step.samples, global_ += step.global; }
  /// Returns the worker's samples by the mean over the workers; 1 if all have equally many.
  double of(Rank workers) const {
    return global_ > 0 && samples_ * workers != global_
               ? static_cast<double>(samples_) * workers / static_cast<double>(global_)
               : 1.0;
  }

 private:
  Count samples_ = 0, global_ = 0;
};

/// Number of updates by staleness: how many updates old the weights of a gradient were.
using Staleness = std::map<Count, Count>;

class ShardUnits;  // shard_units.hpp

enum class Pass : std::uint8_t { forward, backward };

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Announces the given number of steps from `first` on, until settle().
  virtual void start_epoch(Count /*first*/, Count /*steps*/) {}
  virtual void start_step(const Step&) {}
  /// Called before the first forward pass of a step uses a variable.
  virtual void need(std::size_t /*variable*/) {}
  /// For strategies that gather weights: called before any pass of any micro-batch uses a variable.
  /// On return the weight is here, until the pass needs one of another stage.
  virtual void use(std::size_t /*variable*/, Pass) {}
  /// Called in the backward pass when the variable's gradient is complete.
  virtual void ready(std::size_t /*variable*/) {}
  /// On return the replica holds the next step's weights, or will hold them when they are needed.
  virtual void finish_step(const Step&) = 0;
  /// Returns whether it holds them now: no gradient is in progress or needed any more.
  virtual bool is_whole() const { return true; }
  /// On return is_whole() is true. Every rank calls it.
  virtual void flush() {}
  /// Ends an epoch; on return all workers hold the same weights. Every rank calls it.
  virtual void settle() { flush(); }

  /// What this rank must keep from step to step besides weights and moments. Call when settled.
  using State = GradientExchange::State;
  virtual State state() { return {}; }
  /// Call before the first step.
  virtual void restore(State) {}

  /// What this rank updates, and keeps moments for: ranges that ascend.
  struct Shard {
    std::vector<FlatRange> ranges;
    bool first = true;  ///< no rank before it has the same
  };
  /// For sharded strategies; nothing: each rank updates all, or a part that others do not know.
  std::optional<Shard> shard() const;
  /// For sharded strategies, when each rank has the weights of its shard: on return all ranks have
  /// all weights. Every rank calls it, before the first step.
  void gather_weights();

  const Staleness& staleness() const { return staleness_; }

 protected:
  /// `units`: of a sharded strategy.
  explicit Strategy(ShardUnits* units = nullptr) : units_(units) {}
  Staleness staleness_;

 private:
  ShardUnits* units_;
};

// Of training/simulation.
struct TrainingPlan;
struct SimulatedSteps;
/// Makes a new network of the plan's ranks.
using MakeNetwork = std::function<std::unique_ptr<simulator::Network>()>;

struct StrategyKind {
  std::string_view name;  ///< the file's stem
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters = {};
  /// The only placement of ranks that it supports; empty: any.
  std::optional<collectives::Placement> placement = {};
  /// Those that carry all gradients and weights of a step, one after another.
  std::vector<Collective> collectives = {Collective::allreduce};
  bool alone = false;          ///< supports one worker only
  bool synchronous = true;     ///< n workers train like one with the whole batch
  bool equal_replicas = true;  ///< after each step all workers hold the same weights
  bool direct = false;         ///< sends gradients from rank to rank, without an algorithm
  bool schedules = false;      ///< uses a scheduler
  bool staggers = false;       ///< a scheduler may delay the workers' starts
  bool compresses = false;     ///< supports compressed gradients
  bool on_device = false;      ///< takes gradients in a device's memory
  bool has_servers = false;    ///< the last ranks, as many as its parameter servers
  bool each_push = false;      ///< updates by each worker's part of a gradient
  bool own_moments = false;    ///< each rank has its own moments; checkpoints store them all
  bool local_batch = false;    ///< divides a loss by the worker's batch, not the global one
  bool periodic = false;  ///< communicates each time after as many steps as its parameter every
  bool sharded = false;   ///< each rank has a part of the moments; clears gradients itself
  bool gathers = false;   ///< weights are here only while they are used: calls use()
  bool grouped = false;   ///< shards within groups of ranks
  std::string_view route = "ring";  ///< the default algorithm
  std::unique_ptr<Strategy> (*make)(const StrategyContext&) = nullptr;
  /// Optional: returns why the strategy cannot work there, or "".
  std::string (*unsupported_reason)(const StrategyContext&) = nullptr;
  /// Optional: simulates the steps of a checked plan, for a strategy whose messages follow from
  /// neither its collectives nor a scheduler. The plan's algorithm carries its collectives.
  SimulatedSteps (*simulate)(const TrainingPlan&, const MakeNetwork&, bool trace) = nullptr;
};

/// The maximum of parameters that count steps.
inline constexpr double kMostSteps = 1e9;

/// Returns every strategy of the catalog, by name.
std::span<const StrategyKind> strategies();

/// Throws Error(usage) naming the nearest strategy if the name is unknown.
const StrategyKind& find_strategy(std::string_view name);

/// Returns the value of a parameter: a given one, else the default; `or_else` if the strategy has
/// no such parameter.
Count parameter_of(const StrategyKind& kind, const Values& values, std::string_view name,
                   Count or_else);

/// Returns after how many steps, and multiples of them, since the last settle() another one changes
/// nothing that is learned; 0: it does after any number.
Count steps_to_settle(const StrategyKind& kind, const Values& values);

/// Returns the spec with every parameter, such as "stale_synchronous:staleness=1".
std::string text(const StrategyKind& kind, const Values& values);
/// The same with those only that differ from their defaults: "stale_synchronous".
std::string short_text(const StrategyKind& kind, const Values& values);

/// Throws Error(usage) if the strategy cannot work in this context, or a parameter is out of its
/// range.
std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const StrategyContext& context);

/// Applies one step of the optimizer to all weights.
void apply_all(const StrategyContext& context, const Step& step);

/// Replaces the data on every rank by their mean over the workers, each weighted by its share of
/// the samples; servers' data do not count.
void average(const StrategyContext& context, const CollectiveId& id, std::span<float> data,
             const SampleShare& share = {});
/// Multiplies data by a worker's share, before a plain mean over the workers.
void weigh(std::span<float> data, const SampleShare& share, Rank workers);

}  // namespace arlab::training
