#include "bench/study/history/compare_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/results/context.hpp"
#include "bench/results/csv.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

bool ends_as_json(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".json");
}

void add_folder(const std::string& folder, std::vector<HistoryFile>& all) {
  const std::size_t before = all.size();
  for (const std::string& path : files_below(folder)) {
    Results results;
    try {
      results = read_results_or_logs(path);
    } catch (const Error& error) {
      if (error.blame() != Blame::usage) throw;  // it cannot be read
    }
    HistoryFile file = history_file(path, std::move(results));
    if (file.times > 0)
      all.push_back(std::move(file));
    else
      say("note: {}: no times: left out\n", path);
  }
  if (all.size() == before)
    fail(Blame::usage, fmt::format("no times in the folder {}: give result files written with "
                                   "--json, or logs of nccl-tests, rccl-tests, OSU or IMB",
                                   folder));
}

}  // namespace

void write_changes(const HistoryCommand& command, const std::string& head, const Table& table,
                   const std::vector<Json>& records) {
  if (ends_as_json(command.output)) {
    ResultFile file(command.output, ResultFile::Mode::fresh, context(command.command));
    for (const Json& record : records) file.add(record);
  } else if (command.output.ends_with(".csv")) {
    CsvFile file(command.output);
    for (const Json& record : records) file.add(record);
  } else {
    check_writable(command.output);
    const Terminal terminal = command.output == "-" ? stdout_terminal() : Terminal{};
    write_file(command.output, head + show_table(table, command.view, terminal));
  }
  say_written(command.output);
}

std::vector<HistoryFile> history_files(const std::vector<std::string>& paths) {
  std::vector<HistoryFile> all;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      add_folder(path, all);
    else
      all.push_back(history_file(path, read_results_or_logs(path)));
  }
  return all;
}

int compare_history(std::vector<HistoryFile> files, const HistoryCommand& command) {
  const std::string first = files.front().path;
  const History history = history_of(std::move(files), command.threshold);
  if (history.all.empty())
    fail(Blame::usage,
         fmt::format("no configuration was measured on one host in two of the {} files, such as "
                     "{}: compare files that the same command wrote with --json",
                     history.files.size(), first));
  write_changes(command, files_table(history.files) + "\n", table(history), records_of(history));
  print_sentences(sentences(history, command.threshold), command.output == "-");
  for (const HistoryFile& file : history.files)
    if (file.times == 0) say("note: {} has no times\n", file.path);
  if (history.once > 0)
    say("note: {} in one file only\n",
        show_plural(static_cast<Count>(history.once), "configuration"));
  const std::vector<std::string>& failures = history.files.back().results.failures;
  for (const std::string& failure : failures) say("error: {}\n", failure);
  if (!history.failed()) return failures.empty() ? 0 : 1;
  Count slower = 0, wrong = 0, configurations = 0;
  for (const Trend& t : history.all) {
    if (t.record.is_null()) continue;
    ++configurations;
    slower += t.verdict == Trend::Verdict::slower ? 1 : 0;
    wrong += t.verdict == Trend::Verdict::wrong ? 1 : 0;
  }
  say("error: of {} in {} files, {} slower by more than {:.3g}%, {} wrong\n",
      show_plural(configurations, "configuration"), history.files.size(), slower,
      100 * command.threshold, wrong);
  return 1;
}

}  // namespace arlab::bench
