// arlab report: writes one self-contained HTML page that shows the records of result files, or
// their metrics for Prometheus.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/formats/metrics/metrics.hpp"
#include "bench/hunt/hunt_answers.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/results/context.hpp"
#include "bench/results/record_table.hpp"
#include "bench/results/report_page.hpp"
#include "bench/results/result_file.hpp"
#include "bench/run/launch_table.hpp"
#include "bench/study/answers.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/decisions/decision_report.hpp"
#include "plots/explorer/engine/page.hpp"
#include "training/io/json.hpp"

namespace arlab::bench {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output = "report.html";
  bool no_explorer = false;  // an old option, which saves 1 MB
};

void put(std::string& page, std::string_view place, const Json& json) {
  const std::size_t at = page.find(place);
  expects(at != std::string::npos, "the report page has no place for its data");
  page.replace(at, place.size(), explorer::script_safe(training::json_text(json)));
}

// Throws Error(usage) if the page would overwrite a result file.
void check_output(const ReportCommand& command) {
  for (const std::string& file : command.files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, command.output, ignored))
      fail(Blame::usage, fmt::format("--output {} is the result file {} itself: name another file",
                                     command.output, file));
  }
  check_writable(command.output);
}

// What the file's command printed.
void add_answers(const Results& results, const std::string& file, Json& all) {
  std::vector<std::string> sentences = answers(over_launches(results));
  for (const Json& record : results.records)
    if (record.value("kind", Json()) == "hunt")
      for (std::string& sentence : hunt_answers(record)) sentences.push_back(std::move(sentence));
  const bool codes_by_bytes = std::ranges::none_of(results.contexts, [](const Json& context) {
    return cell_text(context.value("command", Json())).find("codec=") != std::string::npos;
  });
  for (std::string& sentence : explain(decisions_of(results.records), codes_by_bytes))
    sentences.push_back(std::move(sentence));
  if (!sentences.empty()) all.push_back({{"file", file}, {"sentences", sentences}});
}

// Reads a file. A record that a stopped run left unfinished is named.
Results read_whole(const std::string& file) {
  Results results = read_results_or_logs(file);
  if (results.cut_short && results.whole_bytes > 0)
    say("note: the last line of {} is incomplete and left out\n", file);
  return results;
}

// For the textfile collector of node_exporter, which reads files of this name.
bool is_for_prometheus(const ReportCommand& command) { return command.output.ends_with(".prom"); }

void write_metrics(const ReportCommand& command) {
  Results all;
  for (const std::string& file : command.files) {
    Results results = read_whole(file);
    results.records = over_launches(results);
    append(std::move(results), all);
  }
  const Exposition metrics = metrics_of(all);
  if (metrics.samples() == 0)
    fail(Blame::usage, fmt::format("no times and no hunts in {}: write some with --json, for "
                                   "example arlab run ring --json results.jsonl",
                                   fmt::join(command.files, ", ")));
  write_file(command.output, metrics.text());
  say("wrote {} ({})\n", command.output,
      show_plural(static_cast<Count>(metrics.samples()), "sample"));
}

void report(const ReportCommand& command, const Session& session) {
  if (command.files.empty())
    fail(Blame::usage,
         "no result file given: write one with --json, for example "
         "arlab simulate all --json results.jsonl");
  if (command.no_explorer)
    say("note: --no-explorer is deprecated: the page without the explorer is 1 MB smaller only\n");
  check_output(command);
  if (is_for_prometheus(command)) return write_metrics(command);
  Json data{{"contexts", Json::array()}, {"records", Json::array()},
            {"answers", Json::array()},  {"files", command.files},
            {"generated", utc_now()},    {"command", shell_quoted(session.command)}};
  for (const std::string& file : command.files) {
    Results results = read_whole(file);
    add_answers(results, file, data["answers"]);
    const std::size_t contexts = data["contexts"].size();
    for (Json& context : results.contexts) {
      context["file"] = file;
      data["contexts"].push_back(std::move(context));
    }
    for (Json& record : results.records) {
      if (record["context"].is_number())
        record["context"] = record["context"].get<std::size_t>() + contexts;
      data["records"].push_back(std::move(record));
    }
  }
  if (data["records"].empty())
    fail(Blame::usage, fmt::format("no records in {}: write some with --json, for example "
                                   "arlab simulate all --json results.jsonl",
                                   fmt::join(command.files, ", ")));
  std::string page(kReportPage);
  if (!command.no_explorer)
    put(page, "/*ARLAB_EXPLORER*/null/*END*/",
        explorer::has_module() ? explorer::page_with_module() : explorer::page_with_answers());
  put(page, "/*ARLAB_DATA*/null/*END*/", data);  // last, since records may hold any text
  write_file(command.output, page);
  if (command.output != "-")
    say("wrote {} ({})\n", command.output,
        show_plural(static_cast<Count>(data["records"].size()), "record"));
}

}  // namespace

void add_report(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab report results.jsonl\n  arlab report results/*.jsonl -o "
      "results/report.html\n"
      "  arlab report results.jsonl -o /var/lib/node_exporter/arlab.prom");
  const auto options = std::make_shared<ReportCommand>();
  command
      .add_option(
          "files", options->files,
          "Result files, written with --json, logs of nccl-tests, OSU or IMB, and folders of them")
      ->type_name("");
  command
      .add_option(
          "-o,--output", options->output,
          "Page to write (default report.html); - is stdout; NAME.prom: metrics for Prometheus, "
          "in its text format")
      ->type_name("FILE");
  command.add_flag("--no-explorer", options->no_explorer, "Leave out the explorer");
  hide(command, {"--no-explorer"});
  command.callback([options, &session] { report(*options, session); });
}

}  // namespace arlab::bench
