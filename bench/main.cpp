// arlab: which allreduce, on which network, at what size, how fast, and why.
#include <fmt/format.h>

#include <new>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
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
  arlab run all -p 4 -s 1K..1M
  mpirun -n 4 arlab run all -s 1K..4M --json results.jsonl
  arlab train -m cnn -w 1,2,4
  arlab report results.jsonl
  arlab explore

Exit status: 0 fine, 1 a check failed, 2 wrong usage, 3 the environment lacks something.)";

// One word of a job's error is enough.
void say(std::string_view text) {
  if (speaks_by_environment()) fmt::print(stderr, "error: {}\n", text);
}

// The first word says what to do. Throws Error(usage) if it is none of ours.
void check_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> verbs;
  for (const CLI::App* command : app.get_subcommands({})) verbs.push_back(command->get_name());
  const std::vector<std::string_view> names(verbs.begin(), verbs.end());
  if (word.starts_with('-')) {
    if (word == "-h" || word == "--help" || word == "--version") return;
    fail(Blame::usage, fmt::format("unknown option '{}' before a verb: begin with one of {}", word,
                                   fmt::join(names, ", ")));
  }
  if (std::find(names.begin(), names.end(), word) == names.end()) fail_unknown("verb", word, names);
}

// What was not understood, with the option it was perhaps meant to be.
std::string stray(const CLI::App& command) {
  const std::string word = command.remaining().empty() ? "" : command.remaining().front();
  if (!word.starts_with('-'))
    return fmt::format("'{}' is one word too many: leave it out, or see `arlab {} --help`", word,
                       command.get_name());
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string_view> names(options.begin(), options.end());
  return fmt::format("unknown option '{}'{} (`arlab {} --help` explains all)", word,
                     did_you_mean(word, names), command.get_name());
}

// In our words, whatever the version of CLI11, where it is one of the common mistakes.
std::string in_our_words(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("required but received") != std::string::npos)
    return option + " is given more than once: give it once";
  if (text.find("required") != std::string::npos && text.ends_with("missing"))
    return option + " lacks its value: write one after it";
  return text + ": leave it out";
}

int run(int argc, char** argv) {
  // Only run and train need all ranks of a job; of any other verb one is enough to write to one
  // file.
  const bool speaks = speaks_by_environment();
  const std::string_view word = argc < 2 ? "" : argv[1];
  if (!speaks && word != "run" && word != "train") return 0;
  CLI::App app{
      "Allreduce Lab: which allreduce, on which network, at what size, how fast, and why."};
  app.name("arlab");
  app.footer(std::string(kExamples));
  app.set_version_flag("--version", fmt::format("arlab {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  Session session;
  session.command.assign(argv, argv + argc);
  for (const auto add : {add_list, add_show, add_verify, add_count, add_simulate, add_run,
                         add_train, add_report, add_explore, add_export})
    add(app, session);
  const bool wants_help = argc == 2 && std::string_view(argv[1]) == "help";
  if (argc < 2 || wants_help) {
    fmt::print("{}", app.help());
    return wants_help ? 0 : 2;
  }
  check_verb(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    fail(Blame::usage, stray(*app.get_subcommand(argv[1])));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      fail(Blame::usage,
           fmt::format("{} (`arlab {} --help` explains all)", in_our_words(e.what()), argv[1]));
    if (speaks) app.exit(e);  // --help, --version
  }
  check_stdout();
  return session.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& e) {
    say(e.what());
    return static_cast<int>(e.blame());
  } catch (const std::bad_alloc&) {
    say("out of memory: use fewer ranks or smaller sizes; --plan tells what a sweep needs");
    return 3;
  } catch (const std::exception& e) {
    say(e.what());
    return 3;
  }
}
