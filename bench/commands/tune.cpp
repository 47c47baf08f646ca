// arlab tune: the best algorithm by ranks and size, as decision files, and whether libraries take
// them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/printable.hpp"
#include "bench/commands/commands.hpp"
#include "bench/config/launcher.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/words/old_names.hpp"
#include "bench/results/context.hpp"
#include "bench/run/library_rows.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/tune/report.hpp"
#include "bench/tune/settle.hpp"
#include "bench/tune/verify_rules.hpp"
#include "bench/tune/write_files.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/backends/job.hpp"

namespace arlab::bench {
namespace {

struct TuneCommand {
  TuneOptions options;
  TuneFiles files;
  bool checks = false;  ///< verifies the rules file instead
  bool verifies() const { return options.launches > 0; }
};

std::string made_by(const TuneCommand& command) {
  return fmt::format(
      "{}, {} on {}", printable(shell_quoted(command.options.sweep.command)), utc_now(),
      command.options.simulated() ? "a simulated network" : collectives::mpi_library());
}

// Says whether all rules were taken, and returns the exit code.
int report(const std::vector<RuleCheck>& checks, const std::string& file) {
  const auto missed =
      std::count_if(checks.begin(), checks.end(), [](const RuleCheck& c) { return !c.taken; });
  const auto rules = std::count_if(checks.begin(), checks.end(),
                                   [](const RuleCheck& c) { return !c.rule.empty(); });
  if (missed == 0) {
    if (rules == 0)
      say("{} changes nothing: the library's default stays in all {}\n", file,
          show_plural(std::ssize(checks), "cell"));
    else
      say("Open MPI takes {} in all {}, {} with a rule\n", file,
          show_plural(std::ssize(checks), "cell"), rules);
    return 0;
  }
  say("error: Open MPI does not take {} in {} of {}: another component decides "
      "(`--mca coll_han_priority 0`), or it ignores the file\n",
      file, missed, show_plural(std::ssize(checks), "cell"));
  return 1;
}

int check_rules(const TuneCommand& command) {
  check_writable(command.options.sweep.output);
  const OpenMpiVersion version = version_of(command.files);
  if (version.reads_json())
    fail(Blame::usage, fmt::format("check=on reads the classic format, but Open MPI {} reads JSON: "
                                   "leave it out",
                                   name(version)));
  const TuningTable table =
      parse_open_mpi_rules(read_file(command.files.open_mpi, "give a rules file of Open MPI"),
                           command.files.open_mpi, version);
  const TemporaryFolder folder;
  const std::vector<RuleCheck> checks =
      verify_rules(command.options, table, command.files.open_mpi, command.verifies(), folder);
  write_file(command.options.sweep.output, table_of_checks(checks));
  return report(checks, command.files.open_mpi);
}

std::string ranks_text(const TuningTable::Row& row) {
  if (row.last == TuningTable::kNoEnd) return fmt::format("{} or more ranks", row.first);
  return row.first == row.last ? show_plural(row.first, "rank")
                               : fmt::format("{} to {} ranks", row.first, row.last);
}

int tune(TuneCommand& command) {
  TuneOptions& options = command.options;
  check_files(command.files);
  check_writable(options.sweep.output);
  const TemporaryFolder folder;
  std::vector<TuneCell> cells = tune_cells(options, folder);
  const Decide among_all = [&](const std::vector<TuneCell>& all) {
    return decide(all, options.simulated() ? "" : "native", known_to_runs);
  };
  const Decide in_library = [&](const std::vector<TuneCell>& all) {
    return decide_for_library(all, options.simulated());
  };
  settle(options, {among_all, in_library}, folder, cells);
  confirm(options, {among_all, in_library}, folder, cells);
  const auto decisions = among_all(cells);
  const std::string origin = made_by(command);
  std::string text = "Of all candidates\n\n" + table_of_decisions(cells, decisions);
  if (std::none_of(decisions.begin(), decisions.end(), [](const auto& d) { return d.has_value(); }))
    fail(Blame::usage, "no candidate supports any of these ranks and sizes: name others");
  const TuningTable of_all = table_of(cells, decisions, Outside::nearest, origin);
  if (!command.files.table.empty()) {
    write_file(command.files.table, to_text(of_all));
    say_written(command.files.table);
  }
  text += "\nFor unmodified programs under libarlab_mpi.so\n\n";
  for (const TuningTable::Row& row : of_all.rows)
    text += fmt::format("- {}: `ARLAB_ALGORITHM={}`\n", ranks_text(row), drop_in_rules(row));
  const auto of_library = in_library(cells);
  const TuningTable library_table =
      table_of(cells, of_library, options.simulated() ? Outside::nearest : Outside::native, origin);
  write_library_files(command.files, cells, library_table, origin);
  for (const std::string* path :
       {&command.files.open_mpi, &command.files.mpich, &command.files.nccl})
    if (!path->empty()) say_written(*path);
  const bool has_library = uses_launcher(options) || !command.files.open_mpi.empty();
  if (has_library)
    text += "\nOf the library's algorithms\n\n" + table_of_decisions(cells, of_library);
  const std::vector<std::string> answer =
      sentences(cells, decisions, has_library ? of_library : decltype(of_library){}, command.files);
  const bool printed = options.sweep.output == "-";
  const bool verifies = command.verifies() && uses_launcher(options) &&
                        !command.files.open_mpi.empty() && !command.files.version;
  if (!verifies) {
    write_file(options.sweep.output, text);
    print_sentences(answer, printed);
    return 0;
  }
  const std::vector<RuleCheck> checks =
      verify_rules(options, library_table, command.files.open_mpi, true, folder);
  text += "\nOpen MPI with " + command.files.open_mpi + "\n\n";
  write_file(options.sweep.output, text + table_of_checks(checks));
  const int code = report(checks, command.files.open_mpi);
  print_sentences(answer, printed);
  return code;
}

void add_candidates(CLI::App& app, TuneOptions& options) {
  SweepOptions& sweep = options.sweep;
  app.add_option("algorithms", sweep.algorithms,
                 "Candidates: algorithms, and native:all or native:NAME (default all native:all)")
      ->type_name("");
  const auto add_list = [&](const char* names, std::vector<std::string>& values, const char* help,
                            const char* type) {
    as_list(app.add_option(names, values, help))->type_name(type);
  };
  add_list("-p,--ranks", sweep.ranks, "Numbers of ranks (default 4): 2,4 or 2..8", "COUNTS");
  add_list("-n,--elements", sweep.elements, "Elements of the vector", "COUNTS");
  add_list("-s,--size", sweep.sizes, "Bytes of the vector, instead of -n (default 1K..1Mx4)",
           "BYTES");
  add_list("--segments", sweep.segments, "Segments of candidates of the catalog: 1,4 (default 1)",
           "COUNTS");
  add_list("-t,--dtype", sweep.dtypes, "float32 (default), or another", "NAME");
  add_list("--op", sweep.ops, "sum (default), prod, min, max or avg", "NAME");
  app.add_option_function<std::string>(
         "--network",
         [&options](const std::string& text) {
           options.network = text;
           if (text.starts_with("-")) note_old_name("--network OPTIONS", "--network SPEC");
         },
         network_help("none") + ". With one, times are simulated, not measured")
      ->type_name("NETWORKS");
  app.add_option("-b,--backend", options.backend, "Where to measure (default mpi)")
      ->type_name("NAME");
  app.add_option("--launcher", options.launcher,
                 "Command that starts jobs; {} is the number of ranks (default 'mpirun -n {}')")
      ->type_name("COMMAND");
  add_number(app, "--runs", options.runs, 5, 100'000,
             "Timed runs per configuration (default 200); from 50 on, doubtful choices, and "
             "choices that replace the default, are measured again");
  app.add_option(
         "--mode", options.mode,
         "alone (default): each run starts when all ranks are ready; streaming: runs back to back")
      ->type_name("NAME");
  app.add_option("--buffers", options.place,
                 "in-place (default): the result replaces the input; out-of-place: another vector")
      ->type_name("NAME");
}

void add_files(CLI::App& app, TuneCommand& command) {
  TuneFiles& files = command.files;
  const auto add = [&](const char* name, std::string& path, const char* help) {
    app.add_option(name, path, help)->type_name("FILE");
  };
  add("--table", files.table, "Tuning table to write, for `arlab run auto:table=FILE`");
  using Text = const std::string&;
  add_settings(
      app, "--open-mpi",
      "Write a rules file for Open MPI, and run Open MPI with it in jobs=2 (default; 0: none), "
      "which "
      "are timed against as many without it; rules.conf:version=4.1.4 is for this release instead "
      "of the one here, and not run; check=on: run with this file, and tune nothing",
      {word_reader("", files.open_mpi),
       {"version",
        [&files](Text text, Text what) {
          files.version = open_mpi_version(text);
          if (!files.version)
            fail(Blame::usage,
                 fmt::format("{} is '{}': give a release, such as 4.1.4", what, text));
        }},
       {"jobs",
        [&command](Text text, Text what) {
          command.options.launches = checked_number(parse_count(text, what), what, 0, 100);
        }},
       switch_reader("check", command.checks)})
      ->type_name("FILE");
  add_settings(app, "--mpich",
               "Write a selection file for MPICH; base is the one that MPICH ships, which has the "
               "other collectives: out.json:base=shipped.json",
               {word_reader("", files.mpich), word_reader("base", files.mpich_base)})
      ->type_name("FILE");
  add_settings(app, "--nccl",
               "Write lines of NCCL's tuner plugin, ring or tree: out.csv:channels=8, the channels "
               "of each line, perhaps with protocol=simple (default), ll or ll128",
               {word_reader("", files.nccl),
                {"channels",
                 [&files](Text text, Text what) {
                   files.nccl_channels = checked_number(parse_count(text, what), what, 1, 64);
                 }},
                word_reader("protocol", files.nccl_protocol)})
      ->type_name("FILE");
  app.add_option("-o,--output", command.options.sweep.output,
                 "Write the tables to this file (default -, stdout)")
      ->type_name("FILE");
}

void check_tune_options(const TuneCommand& command) {
  const TuneOptions& options = command.options;
  if (command.checks && command.files.open_mpi.empty())
    fail(Blame::usage, "--open-mpi check=on has no file: name one, as in rules.conf:check=on");
  if (launched_rank())
    fail(Blame::usage,
         "tune starts jobs of its own: start it without mpirun, and name another launcher with "
         "--launcher");
  if (options.sweep.parsed_dtypes().size() != 1 || options.sweep.parsed_ops().size() != 1)
    fail(Blame::usage, "tune takes one --dtype and one --op: start it once for each");
  refuse_other_library(options.sweep.algorithms, "tune");
  if (!options.backend.empty()) collectives::find_backend(options.backend);
  on_ranks(options, 1, {});
  if (!options.place.empty()) {
    constexpr std::string_view kTunedPlaces[] = {"in-place", "out-of-place", "in", "out"};
    if (std::ranges::find(kTunedPlaces, options.place) == std::end(kTunedPlaces))
      fail_unknown("buffers", options.place, std::span(kTunedPlaces).first<2>());
  }
  if (!options.mode.empty()) {
    constexpr std::string_view kTunedModes[] = {"alone", "streaming"};
    if (std::ranges::find(kTunedModes, options.mode) == std::end(kTunedModes))
      fail_unknown("mode", options.mode, kTunedModes);
  }
  const TuneOptions usual;
  const std::pair<const char*, bool> of_measurements[] = {
      {"--backend", options.backend != usual.backend},
      {"--runs", options.runs != usual.runs},
      {"--launcher", options.launcher != usual.launcher && command.files.open_mpi.empty()},
      {"--buffers", !options.place.empty()},
      {"--mode", !options.mode.empty()}};
  for (const auto& [option, given] : of_measurements)
    if (given && options.simulated())
      fail_without_effect(option, "a measurement, which --network replaces");
  const bool of_library = !command.files.open_mpi.empty() || !command.files.mpich.empty();
  if (of_library && !options.simulated() && !uses_launcher(options))
    fail(Blame::usage,
         fmt::format("--backend {} has no MPI library to write a file for: leave it out",
                     options.backend));
  constexpr std::size_t kMostCells = 1000;
  constexpr Rank kMostTunedRanks = 1 << 16;
  const auto ranks = options.sweep.parsed_ranks();
  const auto elements = options.sweep.parsed_elements(options.sweep.parsed_dtypes().front());
  if (ranks.size() * elements.size() > kMostCells)
    fail(Blame::usage,
         fmt::format("{} numbers of --ranks with {} sizes are too many to tune: give at most {} "
                     "together, such as -p 2..64 -s 1K..64Mx4",
                     ranks.size(), elements.size(), kMostCells));
  if (const auto most = *std::max_element(ranks.begin(), ranks.end()); most > kMostTunedRanks)
    fail(Blame::usage, fmt::format("--ranks {}: tune takes at most {}", most, kMostTunedRanks));
}

}  // namespace

void add_tune(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab tune -p 2,4 -s 1K..1Mx4 --table tuned.json --open-mpi rules.conf\n"
      "  arlab tune --open-mpi rules.conf:check=on -p 4 -s 1K..1Mx4\n"
      "  arlab tune -p 2 -s 8..64Kx8 --mode streaming --table tuned.json\n"
      "  arlab tune -b threads -p 4 --table tuned.json\n"
      "  arlab tune -p 64 -s 1K..64Mx4 --network rail_pod --table tuned.json\n"
      "The library's default is replaced only where another algorithm is faster beyond chance.");
  const auto options = std::make_shared<TuneCommand>();
  add_candidates(command, options->options);
  add_files(command, *options);
  make_rare(command, {"--launcher"});
  command.callback([options, &session] {
    TuneOptions& o = options->options;
    SweepOptions& sweep = o.sweep;
    sweep.command = session.command;
    if (sweep.ranks.empty()) sweep.ranks = {"4"};
    if (sweep.elements.empty() && sweep.sizes.empty()) sweep.sizes = {"1K..1Mx4"};
    check_tune_options(*options);
    if (sweep.algorithms.empty()) {
      sweep.algorithms = {"all"};
      if (uses_launcher(o)) sweep.algorithms.emplace_back("native:all");
    }
    session.exit_code = options->checks ? check_rules(*options) : tune(*options);
  });
}

}  // namespace arlab::bench
