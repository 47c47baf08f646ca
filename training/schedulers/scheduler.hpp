// Scheduler: which gradients travel in one message, and when.
//
// One object decides for one worker. It is told when gradients are ready and messages are through,
// and answers what to start next; it reads no clock, so that the same code runs in virtual time
// (timeline.hpp) and on a real one (dispatcher.hpp).
//
// To add one, write training/schedulers/catalog/<name>.cpp with `SchedulerKind <name>()` in
// namespace arlab::training::scheduler_catalog, and one test.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "simulator/network.hpp"
#include "training/schedulers/profile.hpp"

namespace arlab::training {

/// A part of one layer's gradient.
struct Slice {
  int layer = 0;
  Count first = 0, elements = 0;
  bool operator==(const Slice&) const = default;
};

/// What one collective carries. A gradient is exchanged by an allreduce, or by its two halves.
struct Bundle {
  Collective collective = Collective::allreduce;
  std::vector<Slice> slices;

  Count elements() const;
  Bytes bytes() const { return elements() * kGradientBytes; }
  bool operator==(const Bundle&) const = default;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// The layer's gradient is complete: once a step for each layer, as the backward pass gets there.
  virtual void ready(int layer, Time now) = 0;
  /// What to start now; nothing if it is better to wait, or there is nothing.
  virtual std::optional<Bundle> next(Time now) = 0;
  /// What next() gave is through.
  virtual void done(const Bundle& /*bundle*/, Time /*now*/) {}

  /// How many bundles may be under way at once.
  virtual int limit() const { return 1; }
  /// When next() may answer otherwise although nothing has happened.
  virtual Time wake(Time /*now*/) const { return simulator::kNever; }
};

struct SchedulerKind {
  std::string_view name;  ///< the file's stem and the command line's word
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters = {};
  /// Whether the next forward pass waits for all gradients; otherwise each layer waits for its own.
  bool barrier = true;
  /// Whether each rank, by itself, comes to the same order: what next() gives depends on what is
  /// ready, and on neither time nor done().
  bool same_everywhere = true;
  /// Whether it is made from the layers' times and the link's; else sizes are enough.
  bool needs_times = false;
  std::unique_ptr<Scheduler> (*make)(const Profile&, const LinkCost&, const Values&) = nullptr;
  /// Optional: how long the worker waits before its first step, so that the bursts of several
  /// workers do not meet on a link that they share.
  Time (*offset)(const Profile&, const LinkCost&, int worker, int workers) = nullptr;
};

/// Every scheduler of the catalogue, by name.
std::span<const SchedulerKind> schedulers();

/// Throws Error(usage) naming the nearest scheduler when there is none of that name.
const SchedulerKind& find_scheduler(std::string_view name);

/// With defaults for what `values` leaves out. Throws Error(usage) for a parameter that the kind
/// does not have or that is negative, and for a profile that does not check.
std::unique_ptr<Scheduler> make_scheduler(const SchedulerKind& kind, const Profile& profile,
                                          const LinkCost& link, const Values& values = {});

}  // namespace arlab::training
