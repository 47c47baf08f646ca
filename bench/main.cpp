// arlab: which allreduce, on which network, at what size, how fast, and why.
#include <fmt/format.h>

#include <array>
#include <new>

#include "algorithms/algorithm.hpp"
#include "algorithms/error.hpp"
#include "bench/backends.hpp"
#include "bench/verbs.hpp"
#include "bench/version.hpp"

namespace {

using namespace arlab;

constexpr std::string_view kExamples = R"(Examples:
  arlab list algorithms
  arlab show ring -p 4
  arlab verify all -p 1..64+1
  arlab count ring -p 7 -n 1000
  arlab simulate all -p 2..1024 -s 1M
  arlab run all -p 4 -s 1K..1M
  mpirun -n 4 arlab run all -s 1K..4M --json results.jsonl
  arlab report results.jsonl

Exit status: 0 fine, 1 a check failed, 2 wrong usage, 3 the environment lacks something.)";

// One word of a job's error is enough.
void say(std::string_view text) {
  if (speaks_by_environment()) fmt::print(stderr, "error: {}\n", text);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Allreduce Lab: which allreduce, on which network, at what size, how fast, and why."};
  app.name("arlab");
  app.footer(std::string(kExamples));
  app.set_version_flag("--version", fmt::format("arlab {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  Session session;
  session.command.assign(argv, argv + argc);
  for (const auto add :
       {add_list, add_show, add_verify, add_count, add_simulate, add_run, add_report, add_export})
    add(app, session);
  if (argc < 2) {
    fmt::print("{}", app.help());
    return 2;
  }
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  if (const std::string_view word = argv[1]; !word.starts_with('-')) {
    const std::vector<std::string_view> names(verbs.begin(), verbs.end());
    if (std::find(names.begin(), names.end(), word) == names.end())
      fail(Blame::usage, fmt::format("unknown verb '{}'{}: use one of {}", word,
                                     did_you_mean(word, names), fmt::join(names, ", ")));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    say(fmt::format("{} (see arlab {} --help)", e.what(), argv[1]));
    return 2;
  }
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
