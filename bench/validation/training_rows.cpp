#include "bench/validation/training_rows.hpp"

#include <algorithm>
#include <cctype>

#include "bench/validation/published/csv_table.hpp"

namespace arlab::bench {
namespace {

constexpr double kLeast = 1e-9;
constexpr std::int64_t kMostGpus = 1 << 20;

TrainingRow row_of(const CsvTable& table, std::size_t i) {
  TrainingRow row{.model = table.text(i, "model"),
                  .samples_per_s = table.number(i, "samples_per_s", kLeast)};
  if (row.model.empty()) table.refuse(i, "model", "give its name");
  const std::int64_t gpus = table.whole(i, "gpus", 1);
  if (gpus > kMostGpus) table.refuse(i, "gpus", "give a number of GPUs that exists");
  row.gpus = static_cast<Rank>(gpus);
  const std::string split = table.text(i, "split");
  if (split != "calibrate" && split != "test") table.refuse(i, "split", "give calibrate or test");
  row.split = split == "test" ? Split::test : Split::calibrate;
  return row;
}

// "4xXE8545x4A100" are four nodes of the system "XE8545x4A100".
std::string node_of(std::string system) {
  const auto digits = std::find_if(system.begin(), system.end(),
                                   [](unsigned char c) { return std::isdigit(c) == 0; });
  if (digits != system.begin() && digits != system.end() && *digits == 'x')
    system.erase(system.begin(), digits + 1);
  return system;
}

}  // namespace

std::vector<TrainingRow> read_training_schedules(std::string_view text, const std::string& name) {
  const CsvTable table(text, name,
                       {"model", "batch_per_gpu", "network", "method", "one_gpu_samples_per_s",
                        "gpus", "samples_per_s", "split"});
  std::vector<TrainingRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    rows.push_back(row_of(table, i));
    rows.back().network = table.text(i, "network");
    rows.back().method = table.text(i, "method");
    rows.back().batch_per_gpu = static_cast<double>(table.whole(i, "batch_per_gpu", 1));
    rows.back().one_gpu_samples_per_s = table.number(i, "one_gpu_samples_per_s", kLeast);
  }
  return rows;
}

std::vector<TrainingRow> read_training_scaling(std::string_view text, const std::string& name) {
  const CsvTable table(
      text, name, {"system", "model", "gpus", "global_batch", "samples_per_s", "step_ms", "split"});
  std::vector<TrainingRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    rows.push_back(row_of(table, i));
    (void)table.number(i, "step_ms", kLeast);
    const std::string system = table.text(i, "system");
    if (system.empty()) table.refuse(i, "system", "give its name");
    rows.back().network = node_of(system);
    if (const std::string org = table.text(i, "org"); !org.empty())
      rows.back().network = org + " " + rows.back().network;
    rows.back().batch_per_gpu =
        static_cast<double>(table.whole(i, "global_batch", 1)) / rows.back().gpus;
  }
  return rows;
}

}  // namespace arlab::bench
