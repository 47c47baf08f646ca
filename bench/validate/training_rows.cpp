#include "bench/validate/training_rows.hpp"

#include "bench/validate/csv_table.hpp"

namespace arlab::bench {
namespace {

TrainingRows counted(const CsvTable& table, const std::string& name, std::string reason) {
  TrainingRows rows;
  rows.file = name;
  rows.reason = std::move(reason);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string split = table.text(i, "split");
    if (split != "calibrate" && split != "test") table.refuse(i, "split", "give calibrate or test");
    ++(split == "test" ? rows.test : rows.calibrate);
    (void)table.whole(i, "gpus", 1);
    (void)table.number(i, "samples_per_s", 1e-9);
  }
  return rows;
}

}  // namespace

TrainingRows read_training_schedules(std::string_view text, const std::string& name) {
  const CsvTable table(text, name,
                       {"model", "batch_per_gpu", "network", "method", "one_gpu_samples_per_s",
                        "gpus", "samples_per_s", "split"});
  for (std::size_t i = 0; i < table.rows(); ++i) {
    (void)table.whole(i, "batch_per_gpu", 1);
    (void)table.number(i, "one_gpu_samples_per_s", 1e-9);
  }
  return counted(
      table, name,
      "the sizes of the gradients and the times of the backward passes of these models are "
      "not in the file");
}

TrainingRows read_training_scaling(std::string_view text, const std::string& name) {
  const CsvTable table(
      text, name, {"system", "model", "gpus", "global_batch", "samples_per_s", "step_ms", "split"});
  for (std::size_t i = 0; i < table.rows(); ++i) {
    (void)table.whole(i, "global_batch", 1);
    (void)table.number(i, "step_ms", 1e-9);
  }
  return counted(
      table, name,
      "the times of computation per batch size and of the nodes' networks are not in the "
      "file");
}

}  // namespace arlab::bench
