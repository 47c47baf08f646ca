// arlab validate FOLDER: predicts published measurements from their calibration rows, and prints
// the errors. arlab validate LOGS: predicts the rows of logs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "algorithms/base/quantities.hpp"
#include "bench/commands/commands.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/settings.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/study/logged_calls.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/write_file.hpp"
#include "bench/validation/nccl/choices.hpp"
#include "bench/validation/nccl/validation.hpp"
#include "bench/validation/nccl/validation_answers.hpp"
#include "bench/validation/published_gains.hpp"
#include "bench/validation/training_tables.hpp"
#include "bench/validation/validation_tables.hpp"

namespace arlab::bench {
namespace {

struct ValidateOptions {
  std::vector<std::string> paths{"tests/validation"};
  std::string json, network;
  std::optional<double> misses{};  // percent
  bool parameters = false;
};

constexpr const char* kForm =
    "give a folder with allreduce.csv, nccl.csv, aws_choice.csv, training_schedules.csv, "
    "training_scaling.csv or published_gains.csv, in the form that docs/results/validation.md "
    "describes";

constexpr const char* kGains = "published_gains.csv";
constexpr const char* kNccl = "nccl.csv";
constexpr const char* kTuner = "aws_choice.csv";

using std::filesystem::path;

// A profile in the folder precedes a built-in one.
FindProfile profiles_of(const path& folder) {
  return [folder](const std::string& model) -> std::optional<training::ModelProfile> {
    const path file = folder / (model + ".json");
    if (model.find('/') == std::string::npos && std::filesystem::exists(file))
      return training::load_profile(file.string());
    return built_in_profile(model);
  };
}

std::vector<TrainingValidation> validate_training(const path& folder) {
  std::vector<TrainingValidation> all;
  const auto add = [&](const char* file, auto read, auto predict) {
    if (!std::filesystem::exists(folder / file)) return;
    all.push_back(predict(read(read_file((folder / file).string(), "check its permissions"), file),
                          profiles_of(folder)));
    all.back().file = file;
  };
  add("training_schedules.csv", read_training_schedules, predict_schedules);
  add("training_scaling.csv", read_training_scaling, predict_scaling);
  return all;
}

std::vector<PredictedGain> validate_gains(const path& folder) {
  if (!std::filesystem::exists(folder / kGains)) return {};
  return predict_gains(
      read_published_gains(read_file((folder / kGains).string(), "check its permissions"), kGains),
      profiles_of(folder));
}

std::optional<NcclValidation> validate_nccl_rows(const path& folder) {
  if (!std::filesystem::exists(folder / kNccl)) return std::nullopt;
  return validate_nccl(
      read_nccl_rows(read_file((folder / kNccl).string(), "check its permissions"), kNccl));
}

// NCCL's own choice, and AWS's.
void print_nccl(const std::optional<NcclValidation>& nccl, const path& folder,
                const ValidateOptions& options, std::string_view before) {
  if (nccl) {
    print("{}{}", Lines{std::string(before)}, Lines{nccl_tables(*nccl)});
    if (options.parameters) print("\n{}", Lines{nccl_parameters(*nccl)});
    if (options.misses) print("\n{}", Lines{nccl_misses(*nccl, *options.misses / 100)});
  }
  if (!std::filesystem::exists(folder / kTuner)) return;
  const std::string text = tuner_tables(
      read_tuner_rows(read_file((folder / kTuner).string(), "check its permissions"), kTuner));
  print("{}{}", Lines{nccl ? "\n" : std::string(before)}, Lines{text});
}

// A folder of tables, or one that is missing, is no log.
bool is_of_tables(const std::vector<std::string>& paths) {
  std::error_code ignored;
  if (paths.size() > 1 || std::filesystem::is_regular_file(paths[0], ignored)) return false;
  if (!std::filesystem::is_directory(paths[0], ignored)) return true;
  for (const char* table :
       {"allreduce.csv", kNccl, kTuner, "training_schedules.csv", "training_scaling.csv", kGains})
    if (std::filesystem::exists(path(paths[0]) / table, ignored)) return true;
  return std::filesystem::is_empty(paths[0], ignored);
}

LoggedMachine logged_machine(const std::string& network) {
  if (network.empty()) return {};
  const NetworkSpec spec = parse_network_spec(network);
  if (spec.model != kNcclNetwork)
    fail(Blame::usage, fmt::format("--network {} is not a machine of NCCL's: write "
                                   "nccl:gpu=h100,nic=400Gbps",
                                   network));
  return {nccl_machine(spec.parameters), spec.parameters.contains("version")};
}

std::string left_out(const std::vector<std::string>& reasons) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& reason : reasons) ++counts[reason];
  std::string text;
  for (const auto& [reason, count] : counts)
    text += fmt::format("note: {} left out: {}\n", count, reason);
  return text;
}

void validate_logs(const ValidateOptions& options, const Session& session) {
  const LoggedMachine machine = logged_machine(options.network);
  Results all;
  for (const std::string& path : options.paths) append(read_results_or_logs(path), all);
  const LoggedCalls calls = logged_calls(all, machine);
  if (calls.rows.empty())
    fail(Blame::usage,
         fmt::format("nothing to predict in {} ({}): give a log of nccl-tests", options.paths[0],
                     calls.skipped.empty() ? "no records" : calls.skipped[0]));
  const NcclValidation validation = validate_nccl(calls.rows);
  if (options.json != "-") {
    print("{}", Lines{nccl_log_tables(validation)});
    if (options.misses) print("\n{}", Lines{nccl_misses(validation, *options.misses / 100)});
    print_sentences(sentences({}, {}, validation), true);
  }
  fmt::print(stderr, "{}", left_out(calls.skipped));
  write_records(options.json, session.command, validation.rows);
}

void run_validate(const ValidateOptions& options, const Session& session) {
  constexpr double kMostPercent = 1e6;
  if (options.misses && !(*options.misses >= 0 && *options.misses <= kMostPercent))
    fail(Blame::usage, fmt::format("--list misses is {}: give 0 to {}, in percent", *options.misses,
                                   static_cast<Count>(kMostPercent)));
  check_can_write(options.json);
  if (!is_of_tables(options.paths)) return validate_logs(options, session);
  if (!options.network.empty())
    fail(Blame::usage, "--network is for logs: leave it out with a folder of tables");
  const path folder = options.paths[0];
  const std::vector<TrainingValidation> training = validate_training(folder);
  const std::vector<PredictedGain> gains = validate_gains(folder);
  const std::optional<NcclValidation> nccl = validate_nccl_rows(folder);
  std::optional<Validation> validation;
  const bool others =
      !training.empty() || !gains.empty() || nccl || std::filesystem::exists(folder / kTuner);
  if (!others || std::filesystem::exists(folder / "allreduce.csv"))
    validation = validate(read_published_times(
        read_file((folder / "allreduce.csv").string(), kForm), "allreduce.csv"));
  if (options.json != "-") {
    if (validation) print("{}", Lines{validation_tables(*validation)});
    for (std::size_t i = 0; i < training.size(); ++i)
      print("{}{}", Lines{validation || i > 0 ? "\n" : ""}, Lines{training_tables(training[i])});
    if (!gains.empty())
      print("{}{}", Lines{validation || !training.empty() ? "\n" : ""}, Lines{gain_table(gains)});
    if (options.parameters && validation) print("\n{}", Lines{parameter_table(*validation)});
    if (options.parameters)
      for (const TrainingValidation& one : training) print("\n{}", Lines{training_parameters(one)});
    const double least = options.misses.value_or(0) / 100;
    if (options.misses && validation) print("\n{}", Lines{miss_table(*validation, least)});
    if (options.misses)
      for (const TrainingValidation& one : training)
        print("\n{}", Lines{training_misses(one, least)});
    print_nccl(nccl, folder, options,
               validation || !training.empty() || !gains.empty() ? "\n" : "");
    print_sentences(sentences(validation, training, nccl), true);
  }
  if (options.json.empty()) return;
  ResultFile file(options.json, ResultFile::Mode::fresh, context(session.command));
  if (validation)
    for (const PredictedRow& row : validation->rows) file.add(to_json(row));
  for (const TrainingValidation& one : training)
    for (const PredictedTraining& row : one.rows) file.add(to_json(row, one.file));
  for (const PredictedGain& row : gains) file.add(to_json(row, kGains));
  if (nccl)
    for (const PredictedNccl& row : nccl->rows) file.add(to_json(row));
}

}  // namespace

void add_validate(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab validate\n"
      "  arlab validate nccl.log --network nccl:gpu=h100\n"
      "  arlab validate measurements --list misses=25\n"
      "  arlab validate --list parameters=on --json predictions.jsonl\n"
      "Rows of split calibrate are fitted, rows of split test are only predicted.");
  const auto options = std::make_shared<ValidateOptions>();
  command
      .add_option("paths", options->paths,
                  "Logs of nccl-tests, result files and folders of both; or a folder with "
                  "allreduce.csv, nccl.csv, aws_choice.csv, training_schedules.csv, "
                  "training_scaling.csv or published_gains.csv (default: tests/validation of the "
                  "repository)")
      ->type_name("PATHS");
  command
      .add_option("--network", options->network,
                  "Networks, of logs: nccl:gpu=h100,nic=400Gbps (default: what the log names)")
      ->type_name("NETWORKS");
  command.add_option("--json", options->json, "Write a record per row to this file; - is stdout")
      ->type_name("FILE");
  add_settings(command, "--list",
               "List more: misses=25, the test rows with errors above 25 percent; parameters=on, "
               "the fitted numbers of each system",
               {{"misses",
                 [options](const std::string& text, const std::string& what) {
                   options->misses = parse_number(text, what);
                 }},
                switch_reader("parameters", options->parameters)});
  command.callback([options, &session] { run_validate(*options, session); });
}

}  // namespace arlab::bench
