// ShardUnits: the units of a sharded strategy: which part of each a rank owns, and their
// collectives.
//
// Neighboring variables form a unit of at least StrategyOptions::unit bytes; variables that are
// used together are in one unit. A rank owns its chunk of every unit; in groups, the ranks of one
// place own the same block.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/strategies/strategy.hpp"

namespace arlab::training {

class ShardUnits {
 public:
  /// frees_gradients: once a unit is reduced, the gradients that other ranks own have no memory
  /// until the next backward pass, which waits if more than two units are in progress. in_groups:
  /// shards within groups of ranks, and sums over all groups.
  ShardUnits(const StrategyContext& context, bool frees_gradients, bool in_groups);

  std::size_t size() const { return units_.size(); }
  std::size_t of(std::size_t variable) const { return unit_of_[variable]; }

  void start_step(Count step);
  /// Announces a complete gradient. Units whose gradients are complete are reduced in one order on
  /// all ranks, whatever the order of their gradients.
  void ready(std::size_t variable);
  /// Waits for the gradients of a unit, updates what this rank owns, and sets the gradients to 0.
  /// Throws Error(check) for gradients that are not finite.
  void update(std::size_t unit);

  /// Starts to gather the weights of a unit. `slice` tells gathers of one step apart.
  void gather(std::size_t unit, int slice);
  /// Frees the weights of a unit that other ranks own.
  void free_weights(std::size_t unit);
  /// Waits for the collective of a unit in progress, if there is one.
  void finish(std::size_t unit);
  void finish_all();
  bool in_progress() const;

  /// What this rank updates, and the gathering of all weights; see Strategy.
  Strategy::Shard shard() const;
  void gather_weights();

 private:
  struct Unit {
    FlatRange all;
    std::vector<FlatRange> own;  // what this rank updates
    std::size_t variables = 0;
    std::size_t incomplete = 0;                // variables without a complete gradient in this step
    std::optional<Exchange::Ticket> exchange;  // in progress
  };

  void add(const Variable& variable, bool begins_stage);
  void set_own(Unit& unit) const;
  void start(Unit& unit, CollectiveId id, const Route& route, Collective collective,
             std::span<float> flat);
  void reduce(Unit& unit);
  void free_others(const Unit& unit, std::span<float> flat) const;
  void clear(const Unit& unit);

  StrategyContext s_;
  const bool frees_;
  std::unique_ptr<const Algorithm> within_, across_;  // in groups only
  Route route_, between_;                             // of shards, and over groups
  std::vector<Unit> units_;                           // in the order of the variables
  std::vector<std::size_t> unit_of_;
  std::size_t last_started_ = 0;  // this unit and all later ones are reduced
  Count step_ = 0;
};

/// Returns why a strategy with these units cannot work here; empty if it can.
std::string refuse_shards(const StrategyContext& context, bool in_groups);

}  // namespace arlab::training
