// ScaleRow: one simulated training run: what it takes, what limits it, and its record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/training/profiled/scale_options.hpp"
#include "bench/training/running_cost.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::bench {

/// What bounds the speed of a run.
enum class Limit : std::uint8_t { computation, latency, bandwidth, coding, order, stragglers };
std::string_view name(Limit limit);

/// Another setting, and the part of the step that it would save.
struct Alternative {
  std::string what = {};
  double saves = 0;
  bool is_choice = true;  ///< one of several: shown by its name, if it saves something
  /// On a calibrated machine: whether the ratio of the steps is 1 within its 80% interval.
  std::optional<bool> tie = {};
};

/// Where 80% of such steps are expected, on a calibrated machine; picoseconds.
struct StepInterval {
  double low = 0, high = 0;
  std::string outside = {};  ///< what is beyond the calibration; empty: nothing
};

struct ScaleRow {
  std::string model = {}, device = {}, network = {}, strategy = {}, algorithm = {}, scheduler = {},
              compressor = {};
  std::string strategy_spec = {};  ///< as on the command line
  Rank ranks = 1, servers = 0;     ///< workers, and servers in addition
  Count batch = 1;
  GpuPrice price = {};
  /// Picoseconds, mean over the workers; alone: ScaleOptions::alone(), or of one worker `step`.
  double step = 0, alone = 0, computation = 0;
  double backward = 0;    ///< part of the computation
  bool uneven = false;    ///< all wait for one worker that computes longer than another
  bool direct = false;    ///< the strategy sends messages itself, without an algorithm
  bool schedules = true;  ///< communication may overlap with it, in an order that can be chosen
  training::SimulatedSteps steps = {};
  Limit limit = Limit::computation;
  std::vector<Alternative> alternatives = {};
  std::optional<StepInterval> interval = {};
  std::string without_interval = {};  ///< why a machine file gives none; empty: it does

  /// Returns the speed per worker as a fraction of that of one worker alone.
  double efficiency() const { return alone / step; }
  double samples_per_second() const {
    return static_cast<double>(batch) * ranks * kPicosecondsPerSecond / step;
  }
  RunningCost cost() const { return running_cost(price, ranks, samples_per_second()); }
};

/// Simulates the plan. `labels`: a row whose texts, batch, and time alone are set.
ScaleRow simulated_row(ScaleRow labels, const training::TrainingPlan& plan,
                       const training::MakeNetwork& network, training::Ranks ranks,
                       bool trace = false);

/// Returns, for each row, the GPU and the precision that tell it from others; empty texts if all
/// rows have one device.
std::vector<std::string> told_devices(const std::vector<ScaleRow>& rows);

/// Returns sentences about what limits the run, and what to change first. `device`: as told.
std::string explain(const ScaleRow& row, const std::string& device = "");

Json to_json(const ScaleRow& row);

}  // namespace arlab::bench
