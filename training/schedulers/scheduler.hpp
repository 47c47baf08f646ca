// Scheduler: decides which gradients travel in one message, and when.
//
// One object decides for one worker. The caller reports ready gradients and completed messages; the
// scheduler answers what to start next. It reads no clock, so that the same code runs in simulated
// time (timeline.hpp) and in real time (dispatcher.hpp).
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

/// What one collective exchanges. A gradient needs an allreduce, or its two halves.
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

  /// The layer's gradient is complete. Called once per step and layer, in backward order.
  virtual void ready(int layer, Time now) = 0;
  /// Returns what to start now, or nothing if it is better to wait or there is nothing.
  virtual std::optional<Bundle> next(Time now) = 0;
  /// The bundle from next() is complete.
  virtual void done(const Bundle& /*bundle*/, Time /*now*/) {}

  /// Returns the maximum number of bundles in progress at once.
  int limit() const { return limit_; }
  /// Returns when next() may answer differently without another event.
  virtual Time wake(Time /*now*/) const { return simulator::kNever; }

 protected:
  explicit Scheduler(int limit = 1) : limit_(limit) {}

 private:
  int limit_;
};

struct SchedulerKind {
  std::string_view name;  ///< the file's stem
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters = {};
  /// Whether the next forward pass waits for all gradients; otherwise each layer waits only for its
  /// own.
  bool barrier = true;
  /// Whether all ranks compute the same order without communication, because next() depends only on
  /// what is ready, not on time or done().
  bool same_everywhere = true;
  /// Whether it sends an allreduce as its halves, a reduce-scatter and an all-gather.
  bool halves = false;
  /// Whether it is profile-guided: made from the times of the layers and the link, not just sizes.
  bool needs_times = false;
  std::unique_ptr<Scheduler> (*make)(const Profile&, const LinkCost&, const Values&) = nullptr;
  /// Optional: returns how long a worker waits before its first step, so that the bursts of several
  /// workers on a shared link do not collide.
  Time (*offset)(const Profile&, const LinkCost&, int worker, int workers) = nullptr;
};

/// Returns every scheduler of the catalog, by name.
std::span<const SchedulerKind> schedulers();

/// Throws Error(usage) naming the nearest scheduler if the name is unknown.
const SchedulerKind& find_scheduler(std::string_view name);

/// Makes a scheduler, with defaults for what `values` leaves out. Throws Error(usage) for an
/// unknown or negative parameter, and for an invalid profile.
std::unique_ptr<Scheduler> make_scheduler(const SchedulerKind& kind, const Profile& profile,
                                          const LinkCost& link, const Values& values = {});

}  // namespace arlab::training
