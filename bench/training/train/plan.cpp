#include "bench/training/train/plan.hpp"

#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/train/report.hpp"
#include "bench/training/train/steps.hpp"

namespace arlab::bench {

std::string plan_text(const TrainOptions& options, const std::vector<TrainConfig>& configs) {
  std::vector<std::vector<std::string>> rows;
  for (const TrainConfig& c : configs) {
    const Count n = c.architecture->parameters;
    const Count more = options.feed.drop_remainder ? 0 : c.batch - 1;
    const Count steps = options.data == "synthetic" ? (options.samples + more) / c.batch : 0;
    training::TrainerOptions learning = c.learning;
    if (steps > 0) set_epochs(learning, options, steps);
    rows.push_back({std::string(c.architecture->name), show_count(n),
                    show_bytes(n * static_cast<Count>(sizeof(float))), std::to_string(c.workers),
                    std::to_string(c.ranks), c.learning.strategy,
                    c.learning.route.empty() ? "by strategy" : c.learning.route,
                    scheduler_text(c.learning.options.gradients),
                    compressor_text(c.learning.options.gradients), show_count(c.batch),
                    local_batch(c), steps > 0 ? show_count(steps) : "",
                    show_count(learning.epochs)});
  }
  return fmt::format(
      "{}\n{}\n",
      compact({"model", "parameters", "gradients", "workers", "ranks", "strategy", "algorithm",
               "scheduler", "compressor", "batch", "local batch", "steps per epoch", "epochs"},
              rows),
      show_plural(static_cast<Count>(configs.size()), "run"));
}

void check_outputs(const TrainOptions& options) {
  for (const std::string& folder : {options.checkpoint, options.tensorboard})
    if (!folder.empty()) check_writable_folder(folder);
  for (const std::string& file : {options.trace, options.record_profile, options.tune})
    if (!file.empty()) check_writable(file);
  for (const std::string& file : {options.json, options.csv}) check_can_write(file);
}

}  // namespace arlab::bench
