// arlab compare: result files, configuration by configuration: what became slower, and when.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/options/options.hpp"
#include "bench/options/table_options.hpp"
#include "bench/study/expected/acceptance.hpp"
#include "bench/study/history/compare_base.hpp"
#include "bench/study/history/compare_history.hpp"
#include "bench/study/predictions.hpp"
#include "bench/study/regression.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

constexpr double kUsualThreshold = 0.05;

struct CompareCommand {
  std::string before;
  std::vector<std::string> later;  // empty: predictions, or a folder
  std::string expect, baseline, output = "-";
  TableView view;
  double threshold = kUsualThreshold;
  std::vector<std::string> command;  // the whole command line
};

void parse_threshold(std::string text, double& threshold) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  threshold = parse_number(text, "--threshold") / (percent ? 100 : 1);
  constexpr double kMost = 1e6;
  if (threshold < 0 || threshold > kMost)
    fail(Blame::usage,
         fmt::format("--threshold is {}: give 0 to {:.0f}, for example 5%", threshold, kMost));
}

int compare_with_model(const CompareCommand& command) {
  check_writable(command.output);
  const PredictionSummary summary =
      summarize_predictions(read_results_or_logs(command.before).records);
  if (summary.rows.empty())
    fail(Blame::usage, fmt::format("{} has no measured time beside a prediction: write it with "
                                   "`arlab run --machine FILE --json`, or name a second file",
                                   command.before));
  constexpr std::size_t kUsual = 20;
  const std::size_t worst =
      command.view.all_rows ? summary.rows.size() : command.view.most_rows.value_or(kUsual);
  write_file(command.output, prediction_tables(summary, worst));
  say_written(command.output);
  return 0;
}

// Whether the bandwidths are those of public tables, or of a saved file.
int accept(const CompareCommand& command) {
  if (!command.baseline.empty())
    fail(Blame::usage, fmt::format("--expect judges one file: leave out --baseline {}, or --expect",
                                   command.baseline));
  if (!command.later.empty())
    fail(Blame::usage, "--expect judges one file: leave out the second one, or --expect");
  if (command.threshold != kUsualThreshold)
    fail_without_effect("--threshold", "a second file: --expect passes from 95% on");
  for (const char* format : {".jsonl", ".csv"})
    if (command.output.ends_with(format))
      fail(Blame::usage, fmt::format("-o {}: --expect writes its table as text: name a file that "
                                     "does not end in {}",
                                     command.output, format));
  check_writable(command.output);
  const Results results = read_results_or_logs(command.before);
  const Expectation expectation =
      std::filesystem::exists(command.expect)
          ? expectation_of(read_results_or_logs(command.expect).records, command.expect)
          : public_expectation(command.expect);
  const Judgment judgment = judge_results(results, expectation);
  if (judgment.all.empty())
    fail(Blame::usage,
         fmt::format("{} has no time from 1 MiB on of a collective, a number of ranks "
                     "and a size that {} has",
                     command.before, command.expect));
  write_file(command.output, table(judgment));
  say_written(command.output);
  say("note: expected is the median of {}; pass from 95%, look from 85%\n",
      fmt::format("{}", fmt::join(expectation.sources, ", ")));
  if (judgment.unjudged > 0)
    say("note: {} not judged: below 1 MiB, or without an expected value\n",
        show_plural(static_cast<Count>(judgment.unjudged), "row"));
  for (const std::string& note : judgment.notes) say("note: {}\n", note);
  for (const std::string& fault : judgment.faults) say("error: {}\n", fault);
  const Judged& worst = judgment.all.front();
  if (worst.verdict() != Acceptance::fail) return judgment.failed() ? 1 : 0;
  const std::string reason = likely_reason(worst, context_of(results, worst.record));
  say("error: worst at {}: {:.4g} of {:.4g} GB/s, {:.0f}%{}{}\n",
      show_bytes(worst.record["bytes"].get<Count>()), worst.busbw, worst.expected,
      100 * worst.ratio(), reason.empty() ? "" : ": ", reason);
  return 1;
}

int compare(const CompareCommand& command) {
  const HistoryCommand history{.output = command.output,
                               .view = command.view,
                               .threshold = command.threshold,
                               .command = command.command};
  if (!command.expect.empty()) return accept(command);
  if (command.later.size() == 1 && command.baseline.empty())
    return compare_base({history_file(command.before, read_results_or_logs(command.before)),
                         history_file(command.later[0], read_results_or_logs(command.later[0]))},
                        0, history);
  std::error_code ignored;
  const bool is_alone =
      command.later.empty() && !std::filesystem::is_directory(command.before, ignored);
  if (is_alone && command.baseline.empty()) return compare_with_model(command);
  std::vector<std::string> paths = command.later;
  paths.insert(paths.begin(), command.before);
  std::vector<HistoryFile> files = history_files(paths);
  if (!command.baseline.empty()) {
    if (files.size() < 2)
      fail(Blame::usage, fmt::format("--baseline {} needs two files or more: name others, too",
                                     command.baseline));
    sort_by_date(files);
    return compare_base(files, baseline_number(files, command.baseline), history);
  }
  if (files.size() == 1) return compare_with_model(command);
  return compare_history(std::move(files), history);
}

}  // namespace

void add_compare(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab compare old.jsonl new.jsonl\n"
      "  arlab compare old.jsonl new.jsonl --threshold 2% -o comparison.md\n"
      "  arlab compare week*.jsonl   (what changed, and in which file)\n"
      "  arlab compare nightly/ -o changes.csv\n"
      "  arlab compare nightly/ --baseline release.jsonl\n"
      "  arlab compare nccl.log --expect h100x8\n"
      "  arlab compare measured.jsonl   (written by arlab run --machine machine.toml --json ...)");
  const auto options = std::make_shared<CompareCommand>();
  command
      .add_option("old", options->before,
                  "Result file, written with --json, a log of nccl-tests, OSU or IMB, or a folder")
      ->required()
      ->type_name("");
  command
      .add_option(
          "new", options->later,
          "Result file of the same configurations; several, or a folder alone: in order of date, "
          "what changed in which file; without it, a file is compared with its predictions, of "
          "which --rows lists the worst 20 unless it says otherwise")
      ->type_name("");
  command
      .add_option_function<std::string>(
          "--threshold",
          [options](const std::string& text) { parse_threshold(text, options->threshold); },
          "Smallest change that counts, as a part of the old time (default 5%)")
      ->type_name("PART");
  command
      .add_option("--baseline", options->baseline,
                  "File that each of the others is compared with, by its name or commit (default: "
                  "of two files the old one); the latest decides the status")
      ->type_name("NAME");
  command
      .add_option("--expect", options->expect,
                  "Judge bus bandwidths by public numbers of a machine, such as h100x8, or by a "
                  "file of records")
      ->type_name("MACHINE");
  command
      .add_option(
          "-o,--output", options->output,
          "Write the table to this file (default -, stdout); of two files or more, NAME.csv and "
          "NAME.jsonl hold records; `arlab help` has --columns, --sort and --rows")
      ->type_name("FILE");
  add_table_options(command, options->view);
  command.callback([options, &session] {
    options->command = session.command;
    session.exit_code = compare(*options);
  });
}

}  // namespace arlab::bench
