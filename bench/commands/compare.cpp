// arlab compare: result files, configuration by configuration: what became slower, and when.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/options/table_options.hpp"
#include "bench/study/acceptance.hpp"
#include "bench/study/history/compare_history.hpp"
#include "bench/study/predictions.hpp"
#include "bench/study/regression.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

struct CompareCommand {
  std::string before;
  std::vector<std::string> later;  // empty: predictions, or a folder
  std::string expect, output = "-";
  TableView view;
  double threshold = 0.05;
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
  if (!command.later.empty())
    fail(Blame::usage, "--expect judges one file: leave out the second one, or --expect");
  const Results results = read_results_or_logs(command.before);
  const Expectation expectation =
      std::filesystem::exists(command.expect)
          ? expectation_of(read_results_or_logs(command.expect).records, command.expect)
          : public_expectation(command.expect);
  const Judgment judgment = judge(results.records, expectation);
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
    say("note: {} not judged: below 1 MiB, or nothing is known of such\n",
        show_plural(static_cast<Count>(judgment.unjudged), "row"));
  if (!judgment.failed()) return 0;
  const Judged& worst = judgment.all.front();
  const Json index = worst.record.value("context", Json());
  const std::string reason =
      likely_reason(worst, index.is_number() ? results.contexts[index.get<std::size_t>()] : Json());
  say("error: worst at {}: {:.4g} of {:.4g} GB/s, {:.0f}%{}{}\n",
      show_bytes(worst.record["bytes"].get<Count>()), worst.busbw, worst.expected,
      100 * worst.ratio(), reason.empty() ? "" : ": ", reason);
  return 1;
}

// Says in what the machines of both files differ: a difference of times may be theirs.
std::string different_origins(const Results& before, const Results& after) {
  std::vector<std::string> parts;
  for (const char* key : {"host", "cpu", "mpi", "commit"}) {
    const auto texts = [&](const Results& results) {
      std::set<std::string> all;
      for (const Json& context : results.contexts)
        if (const Json value = context.value(key, Json()); value.is_string())
          all.insert(value.get<std::string>());
      return all;
    };
    const std::set<std::string> old_ones = texts(before), new_ones = texts(after);
    if (!old_ones.empty() && !new_ones.empty() && old_ones != new_ones)
      parts.push_back(
          fmt::format("{} {} and {}", key, fmt::join(old_ones, ", "), fmt::join(new_ones, ", ")));
  }
  if (parts.empty()) return "";
  return fmt::format("The files differ in {}.", fmt::join(parts, "; "));
}

int compare_two(const CompareCommand& command) {
  const Results before = read_results_or_logs(command.before);
  const Results after = read_results_or_logs(command.later.front());
  const TimeComparisons r = compare_records(before.records, after.records, command.threshold);
  if (r.all.empty())
    fail(Blame::usage, fmt::format("{} and {} have no measured configuration in common: compare "
                                   "files that the same command wrote with --json",
                                   command.before, command.later.front()));
  const bool printed = command.output == "-";
  write_file(command.output,
             show_table(table(r), command.view, printed ? stdout_terminal() : Terminal{}));
  say_written(command.output);
  std::vector<std::string> answer = sentences(r, command.threshold);
  if (std::string note = different_origins(before, after); !note.empty())
    answer.insert(answer.begin(), std::move(note));
  print_sentences(answer, printed);
  if (r.only_old + r.only_new > 0)
    say("note: {} only in {}, {} only in {}\n",
        show_plural(static_cast<Count>(r.only_old), "configuration"), command.before,
        show_plural(static_cast<Count>(r.only_new), "configuration"), command.later.front());
  if (!r.failed()) return 0;
  Count slower = 0, wrong = 0;
  for (const TimeComparison& c : r.all) {
    slower += c.verdict == TimeComparison::Verdict::slower ? 1 : 0;
    wrong += c.verdict == TimeComparison::Verdict::wrong ? 1 : 0;
  }
  say("error: of {}, {} slower by more than {:.3g}%, {} wrong\n",
      show_plural(std::ssize(r.all), "configuration"), slower, 100 * command.threshold, wrong);
  return 1;
}

int compare(const CompareCommand& command) {
  if (!command.expect.empty()) return accept(command);
  if (command.later.size() == 1) return compare_two(command);
  std::error_code ignored;
  if (command.later.empty() && !std::filesystem::is_directory(command.before, ignored))
    return compare_with_model(command);
  std::vector<std::string> paths = command.later;
  paths.insert(paths.begin(), command.before);
  std::vector<HistoryFile> files = history_files(paths);
  if (files.size() == 1) return compare_with_model(command);
  return compare_history(std::move(files), {.output = command.output,
                                            .view = command.view,
                                            .threshold = command.threshold,
                                            .command = command.command});
}

}  // namespace

void add_compare(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab compare old.jsonl new.jsonl\n"
      "  arlab compare old.jsonl new.jsonl --threshold 2% -o comparison.md\n"
      "  arlab compare week*.jsonl   (what changed, and in which file)\n"
      "  arlab compare nightly/ -o changes.csv\n"
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
      .add_option("--expect", options->expect,
                  "Judge bus bandwidths by public numbers of a machine, such as h100x8, or by a "
                  "file of records")
      ->type_name("MACHINE");
  command
      .add_option(
          "-o,--output", options->output,
          "Write the table to this file (default -, stdout); of several files, NAME.csv and "
          "NAME.jsonl hold records; `arlab help` has --columns, --sort and --rows")
      ->type_name("FILE");
  add_table_options(command, options->view);
  command.callback([options, &session] {
    options->command = session.command;
    session.exit_code = compare(*options);
  });
}

}  // namespace arlab::bench
