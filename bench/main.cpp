// arlab: the program. Parses the command line, runs one command and maps errors to exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/cli/process.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/results/version.hpp"

namespace {

using namespace arlab;
using namespace arlab::bench;

constexpr std::string_view kExamples = R"(Examples:
  arlab list algorithms
  arlab show ring -p 4
  arlab verify all -p 1..64+1
  arlab count ring -p 7 -n 1000
  arlab simulate all -p 2..1024 -s 1M
  arlab bound torus:dims=8x8
  arlab run all -p 4 -s 1K..1M
  mpirun -n 4 arlab run all -s 1K..4M --json results.jsonl
  arlab train -m cnn -w 1,2,4
  arlab report results.jsonl
  arlab explore

Exit status: 0 success, 1 a check failed, 2 wrong usage, 3 a problem of the environment.)";

// In a job, one process prints the error.
void print_error(std::string_view text) {
  if (is_root_by_environment()) fmt::print(stderr, "error: {}\n", text);
}

// Throws Error(usage) if the first word is not a command.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::vector<std::string_view> names(commands.begin(), commands.end());
  if (word.starts_with('-')) {
    if (word == "-h" || word == "--help" || word == "--version") return;
    fail(Blame::usage, fmt::format("unknown option '{}' before the command: start with one of {}",
                                   word, fmt::join(names, ", ")));
  }
  if (std::find(names.begin(), names.end(), word) == names.end())
    fail_unknown("command", word, names);
}

// Names the argument that was not understood, and the option it may have been meant to be.
std::string unexpected_argument(const CLI::App& command) {
  const std::string word = command.remaining().empty() ? "" : command.remaining().front();
  if (!word.starts_with('-'))
    return fmt::format("unexpected argument '{}': remove it, or see `arlab {} --help`", word,
                       command.get_name());
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string_view> names(options.begin(), options.end());
  return fmt::format("unknown option '{}'{} (`arlab {} --help` lists all options)", word,
                     did_you_mean(word, names), command.get_name());
}

// Rewords CLI11's messages for common mistakes, which differ between its versions.
std::string reworded(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("required but received") != std::string::npos)
    return option + " is given more than once: give it once";
  if (text.find("required") != std::string::npos && text.ends_with("missing"))
    return option + " needs a value: add one after it";
  return text + ": remove it";
}

int run(int argc, char** argv) {
  // Only run and train need all ranks of a job. For other commands one process writes the file.
  const bool speaks = is_root_by_environment();
  const std::string_view word = argc < 2 ? "" : argv[1];
  if (!speaks && word != "run" && word != "train") return 0;
  CLI::App app{
      "Allreduce Lab: which allreduce algorithm is fastest on your network at each size, and why."};
  app.name("arlab");
  app.footer(std::string(kExamples));
  app.set_version_flag("--version", fmt::format("arlab {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  Session session;
  session.command.assign(argv, argv + argc);
  for (const auto add : {add_list, add_show, add_verify, add_count, add_simulate, add_bound,
                         add_run, add_train, add_report, add_explore, add_export})
    add(app, session);
  const bool wants_help = argc == 2 && std::string_view(argv[1]) == "help";
  if (argc < 2 || wants_help) {
    fmt::print("{}", app.help());
    return wants_help ? 0 : 2;
  }
  check_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    fail(Blame::usage, unexpected_argument(*app.get_subcommand(argv[1])));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      fail(Blame::usage,
           fmt::format("{} (`arlab {} --help` lists all options)", reworded(e.what()), argv[1]));
    if (speaks) app.exit(e);  // --help, --version
  }
  check_stdout();
  return session.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  try {
    return run(argc, argv);
  } catch (const Error& e) {
    print_error(e.what());
    return static_cast<int>(e.blame());
  } catch (const std::bad_alloc&) {
    print_error(
        "out of memory: use fewer ranks or smaller sizes; --plan prints what a sweep needs");
    return 3;
  } catch (const std::exception& e) {
    print_error(e.what());
    return 3;
  }
}
