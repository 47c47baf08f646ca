#include "bench/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/about/about.hpp"
#include "bench/commands/commands.hpp"
#include "bench/config/launcher.hpp"
#include "bench/config/process.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/table_options.hpp"
#include "bench/options/words/parse.hpp"
#include "bench/options/words/words.hpp"
#include "bench/perf/perf.hpp"
#include "bench/prepare_process.hpp"
#include "bench/results/version.hpp"
#include "bench/text/config_file.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/subcommands.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/profiled/old_train.hpp"
#include "bench/training/settings_file.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  arlab list algorithms
  arlab show ring -p 4
  arlab verify all -p 1..64+1
  arlab count ring -p 7 -n 1000
  arlab simulate all -p 2..1024 -s 1M
  arlab bound torus:dims=8x8
  arlab validate
  arlab run all -p 4 -s 1K..1M
  mpirun -n 4 arlab run all -s 1K..4M --json results.jsonl
  mpirun -n 3 arlab calibrate -o machine.toml
  mpirun -n 4 arlab identify -s 1K..4M
  mpirun -n 16 arlab hunt
  arlab tune -p 2,4 -s 1K..1M --open-mpi rules.conf
  arlab train -m cnn -w 1,2,4
  arlab plan -m profile:bert-large --gpus 8..512x4
  arlab replay -m profile:resnet50 -b threads
  arlab compare old.jsonl new.jsonl
  arlab import nccl.log --json results.jsonl
  arlab report results.jsonl
  arlab chart results.jsonl
  arlab explore

arlab help COMMAND lists its options; arlab COMMAND -h only those that are often used.
arlab manual COMMAND is its page for man, as in: arlab manual run | man -l -
source <(arlab completion bash) completes words; also zsh and fish.

Exit status: 0 success, 1 a check failed, 2 wrong usage, 3 a problem of the environment.)";

struct Command {
  const char* name;
  const char* description;
  void (*add)(CLI::App& command, Session& session);
};

constexpr Command kCommands[] = {
    {"list",
     "Print algorithms, topologies, models, compressors, schedulers, strategies, backends, types, "
     "architectures, and what this build lacks",
     add_list},
    {"doctor", "Print what works on this machine, and how to get the rest", add_doctor},
    {"show", "Print the rounds of an algorithm as a table, or a topology", add_show},
    {"verify", "Prove algorithms correct: every contribution exactly once, no deadlock",
     add_verify},
    {"count", "Count messages by the closed form and by the programs, and compare", add_count},
    {"simulate", "Predict the time of algorithms on a network model", add_simulate},
    {"bound", "Compute the optimum of a collective on a network, and what limits it", add_bound},
    {"validate", "Predict published measurements from their calibration rows, and print the errors",
     add_validate},
    {"run", "Run and check algorithms on this machine or job, beside the library's own", add_run},
    {"calibrate", "Measure a machine's network on 2 or 3 ranks, for predictions", add_calibrate},
    {"identify", "Identify the algorithm that MPI_Allreduce runs, by its messages", add_identify},
    {"hunt", "Find slow ranks, ports, links and groups of a cluster (exit 1 if there are any)",
     add_hunt},
    {"tune",
     "Choose the best algorithm per number of ranks and size, and write decision files for "
     "libraries",
     add_tune},
    {"launch", "Start a job of PyTorch or Horovod by mpirun, and print its line", add_launch},
    {"train", "Train a model on several workers, and report the cost of communication", add_train},
    {"plan", "Predict step time, efficiency and limits of training on GPUs that you do not have",
     add_plan},
    {"replay", "Replay training from a profile: computation as waiting, with real communication",
     add_replay},
    {"compare",
     "Report regressions between two result files (exit 1 if any), or the prediction errors of one",
     add_compare},
    {"import", "Read logs of nccl-tests, rccl-tests, OSU and IMB as records", add_import},
    {"report", "Write one self-contained HTML page from result files", add_report},
    {"chart", "Draw charts and tables of result files, for a screen or a paper", add_chart},
    {"explore", "Write one HTML page that animates, computes and simulates the algorithms",
     add_explore},
    {"export",
     "Write a schedule as JSON, MSCCL XML, SimGrid or GOAL trace, or a simulated run as Perfetto "
     "trace",
     add_export},
};

// Adds all commands, and options only to those that the words name: options of all would take
// longer than many a command.
void add_commands(CLI::App& app, const std::vector<std::string>& words, Session& session) {
  for (const Command& c : kCommands) {
    CLI::App& command = *app.add_subcommand(c.name, c.description);
    if (std::find(words.begin(), words.end(), c.name) != words.end()) c.add(command, session);
  }
}

// Only the ends of a very long text.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 4000;
  if (text.size() <= kLongest) return std::string(text);
  return fmt::format("{} ... {}", text.substr(0, kLongest / 2),
                     text.substr(text.size() - kLongest / 2));
}

bool works_alone(std::string_view command) {
  constexpr std::string_view kAlone[] = {"list",     "doctor", "show",     "verify",  "count",
                                         "simulate", "bound",  "validate", "compare", "report",
                                         "explore",  "export", "plan",     "import",  "chart"};
  return std::find(std::begin(kAlone), std::end(kAlone), command) != std::end(kAlone);
}

// Every process that fails says why. In a job of processes that communicate, rank 0 is first: if
// the others fail alike, the launcher ends them with it, before they repeat the message.
void print_error(std::string_view text, std::string_view command) {
  const auto launched = launched_rank();
  const bool named = launched && launched->rank > 0;
  if (named && !works_alone(command)) std::this_thread::sleep_for(std::chrono::seconds(1));
  say("error: {}{}\n", named ? fmt::format("rank {}: ", launched->rank) : std::string(),
      Message{shortened(text)});
}

// Throws Error(usage) if the first word is not a command.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands = names_of_commands(app);
  if (word.starts_with('-')) {
    constexpr std::string_view kOptions[] = {"-h", "--help", "-V", "--version"};
    if (std::ranges::find(kOptions, word) != std::end(kOptions)) return;
    const std::string hint = did_you_mean(word, kOptions);
    fail(Blame::usage,
         fmt::format("unknown option '{}' before the command{} start with one of {}", word,
                     hint.empty() ? ":" : hint + " Or", fmt::join(commands, ", ")));
  }
  if (command_named(app, word)) return;
  for (const char* about : {"help", "version", "manual", "completion"})
    commands.emplace_back(about);
  fail_unknown("command", word, names_of(commands));
}

// Lists the options that commands share. Each command reads its own; --config is read before.
void describe_common_options(CLI::App& app) {
  app.add_option("--config", "Take options from this file in TOML; those on the command line win")
      ->type_name("FILE")
      ->group("Option of every command, after it");
  describe_table_options(app);
}

int run(std::vector<std::string> words) {
  hand_over_to_mpirun(words);
  CLI::App app{
      "Allreduce Lab: which allreduce algorithm is fastest on your network at each size, and why."};
  app.name("arlab");
  app.footer(std::string(kExamples));
  app.set_version_flag("--version", fmt::format("arlab {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  describe_common_options(app);
  Session session;
  words = with_settings(std::move(words));
  session.command = words;
  use_about_words(words);
  use_help_all(words);
  use_command_of_profile(words);
  add_commands(app, words, session);
  const bool wants_help = words.size() == 2 && words[1] == "help";
  if (words.size() < 2 || wants_help) {
    fmt::print("{}", app.help());
    check_stdout();
    return wants_help ? 0 : 2;
  }
  if (asks_about_train(words)) hand_over_to_train(words);
  if (print_about(app, words)) {
    check_stdout();
    return 0;
  }
  session.words = with_config(app, std::move(words));
  words = checked_words(app, session.words);
  check_command(app, words[1]);
  const auto launched = launched_rank();
  if (!launched || launched->rank == 0)
    session.progress = std::make_shared<Progress>("arlab " + words[1]);
  parse(app, words);
  check_stdout();
  return session.exit_code;
}

}  // namespace

int run_program(int argc, char** argv) {
  prepare_process();
  const std::string_view command = argc < 2 ? "" : argv[1];
  try {
    if (argc > 0 && is_perf_program(argv[0])) return run_perf({argv, argv + argc});
    return run({argv, argv + argc});
  } catch (const Error& e) {
    print_error(e.what(), command);
    return static_cast<int>(e.blame());
  } catch (const std::bad_alloc&) {
    print_error(kOutOfMemory, command);
    return 3;
  } catch (const std::system_error& e) {
    // {fmt} throws it where stdout is closed or full.
    const bool output = std::string_view(e.what()).starts_with("cannot write to file");
    print_error(output
                    ? fmt::format("cannot write to stdout ({}): make room where it goes, or send "
                                  "it somewhere else",
                                  e.code().message())
                    : e.what(),
                command);
    return 3;
  } catch (const std::exception& e) {
    print_error(e.what(), command);
    return 3;
  }
}

}  // namespace arlab::bench
