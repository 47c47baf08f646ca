// arlab validate FOLDER: predicts published measurements from their calibration rows, and prints the errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "bench/cli/read_file.hpp"
#include "bench/commands/commands.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/validate/validation_tables.hpp"

namespace arlab::bench {
namespace {

struct ValidateOptions {
  std::string folder = "tests/validation";
  std::string json;
  double misses = -1;  // percent
  bool parameters = false;
};

constexpr const char* kForm =
    "give a folder with allreduce.csv, in the form that docs/validation.md describes";

std::vector<TrainingRows> training_rows(const std::filesystem::path& folder) {
  std::vector<TrainingRows> all;
  const auto add = [&](const char* file, auto read) {
    if (!std::filesystem::exists(folder / file)) return;
    all.push_back(read(read_file((folder / file).string(), "check its permissions"), file));
  };
  add("training_schedules.csv", read_training_schedules);
  add("training_scaling.csv", read_training_scaling);
  return all;
}

void run_validate(const ValidateOptions& options, const Session& session) {
  const std::filesystem::path folder = options.folder;
  const Validation validation = validate(
      read_published_times(read_file((folder / "allreduce.csv").string(), kForm), "allreduce.csv"));
  const std::vector<TrainingRows> training = training_rows(folder);
  if (options.json != "-") {
    fmt::print("{}", validation_tables(validation, training));
    if (options.parameters) fmt::print("\n{}", parameter_table(validation));
    if (options.misses >= 0) fmt::print("\n{}", miss_table(validation, options.misses / 100));
  }
  if (options.json.empty()) return;
  ResultFile file(options.json, ResultFile::Mode::fresh, context(session.command));
  for (const PredictedRow& row : validation.rows) file.add(to_json(row));
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "validate",
      "Predict published measurements from their calibration rows, and print the errors");
  command->footer(
      "Examples:\n  arlab validate\n"
      "  arlab validate measurements --misses 25\n"
      "  arlab validate --parameters --json predictions.jsonl\n"
      "Rows of split calibrate are fitted, rows of split test are only predicted.");
  const auto options = std::make_shared<ValidateOptions>();
  command
      ->add_option("folder", options->folder,
                   "Folder with allreduce.csv (default: tests/validation of the repository)")
      ->type_name("FOLDER");
  command->add_option("--json", options->json, "Write a record per row to this file; - is stdout")
      ->type_name("FILE");
  command
      ->add_option("--misses", options->misses,
                   "List the test rows with errors above this, in percent")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT");
  command->add_flag("--parameters", options->parameters, "List the fitted numbers of each system");
  command->callback([options, &session] { run_validate(*options, session); });
}

}  // namespace arlab::bench
