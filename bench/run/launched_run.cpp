#include "bench/run/launched_run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/config/launcher.hpp"
#include "bench/options/settings.hpp"
#include "bench/results/context.hpp"
#include "bench/run/child.hpp"
#include "bench/run/launch_table.hpp"
#include "bench/run/launches.hpp"
#include "bench/study/answers.hpp"
#include "bench/sweep/output.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/backends/backend.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kDefaultLauncher = "mpirun -n {}";

// Options that the program takes for all launches together.
const std::vector<std::string> kOfLauncher{"--launches", "--launcher", "--json", "-o",   "--output",
                                           "--columns",  "--sort",     "--rows", "--top"};

bool needs_launcher(const LaunchOptions& options, const std::string& backend) {
  if (!options.launcher.empty()) return true;
  return !backend.empty() &&
         collectives::find_backend(backend).placement == collectives::Placement::processes;
}

void check_launches(const SweepOptions& sweep, const std::string& samples) {
  if (launched_rank())
    fail(
        Blame::usage,
        "--launches starts jobs of its own: start it without mpirun, and name another launcher, as "
        "in '10:launcher=srun -n {}'");
  const std::pair<const char*, bool> of_one[] = {{"--csv", !sweep.csv.empty()},
                                                 {"--raw", !samples.empty()},
                                                 {"--resume", sweep.resume},
                                                 {"--dry-run", sweep.plan}};
  for (const auto& [option, given] : of_one)
    if (given)
      fail(Blame::usage, fmt::format("{} is of one launch: leave it out, or --launches", option));
  if (sweep.json == "-")
    fail(Blame::usage, "--json is stdout: name a file for the records of several launches");
}

}  // namespace

void add_launches(CLI::App& app, LaunchOptions& options) {
  using Text = const std::string&;
  SettingReader launcher = word_reader("launcher", options.launcher);
  launcher.takes_rest = true;
  add_settings(app, "--launches",
               fmt::format("Repeat the run in N separate jobs and compare their medians: 10, or "
                           "'10:launcher=srun -n {{}}' with the command that starts jobs; {{}} is "
                           "the number of ranks (default '{}' with -b mpi and others whose ranks "
                           "are processes)",
                           kDefaultLauncher),
               {{"",
                 [&options](Text text, Text what) {
                   options.launches = checked_number(parse_count(text, what), what, 1, 1000);
                 }},
                std::move(launcher)})
      ->type_name("NUMBER");
}

int run_in_launches(const LaunchOptions& options, const SweepOptions& sweep,
                    const std::string& backend, const std::string& samples) {
  check_launches(sweep, samples);
  check_outputs(sweep);
  std::error_code ignored;  // an earlier file is kept under another name
  if (!sweep.json.empty() && !std::filesystem::exists(sweep.json, ignored))
    check_writable(sweep.json);
  std::vector<std::string> columns;
  for (const Table::Column& column : table_of_launches({}, sweep.view).columns)
    columns.push_back(column.name);
  check_columns(sweep.view, columns);
  const bool by_launcher = needs_launcher(options, backend);
  std::vector<std::string> arguments = without_options(options.words, kOfLauncher);
  arguments.front() = own_program();
  LaunchPlan plan{options.launches, {}, sweep.json, shell_quoted(sweep.command)};
  if (!by_launcher) {
    plan.jobs.push_back(arguments);
  } else {
    const std::vector<std::string> in_job = without_options(arguments, {"-p", "--ranks"});
    for (const Rank ranks : sweep.parsed_ranks()) {
      const std::string launcher = options.launcher.empty() ? kDefaultLauncher : options.launcher;
      std::vector<std::string> words = launcher_words(launcher, ranks);
      words.insert(words.end(), in_job.begin(), in_job.end());
      plan.jobs.push_back(std::move(words));
    }
  }
  const LaunchResults results = run_launches(plan);
  const std::vector<LaunchRow> rows = rows_of_launches(results.records);
  const bool printed = sweep.output == "-";
  if (!rows.empty())
    write_file(sweep.output, show_table(table_of_launches(rows, sweep.view), sweep.view,
                                        printed ? stdout_terminal() : Terminal{}));
  say_written(sweep.output);
  const std::vector<std::string> sentences = answers(records_of(rows));
  print_sentences(sentences, printed);
  if (results.wrong) say("error: a launch gave wrong results: see the column 'wrong'\n");
  return results.wrong ? 1 : 0;
}

}  // namespace arlab::bench
