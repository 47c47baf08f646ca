#include "bench/options/old_names.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/options/words.hpp"
#include "bench/text/read_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// What `act` writes to stderr.
template <class Act>
std::string stderr_of(Act&& act) {
  const Folder folder;
  const std::string path = folder.file("stderr");
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  REQUIRE(std::freopen(path.c_str(), "w", stderr) != nullptr);
  act();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  return read_file(path, "");
}

void parse(CLI::App& app, std::vector<std::string> words) {
  words.insert(words.begin(), {"arlab", "do"});
  words = checked_words(app, std::move(words));
  app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
}

}  // namespace

TEST_CASE("an option that has a new name takes its values under the old one, too") {
  CLI::App app;
  CLI::App* command = app.add_subcommand("do");
  std::string raw;
  bool dry_run = false;
  command->add_option("--raw", raw);
  command->add_flag("--dry-run", dry_run);
  add_old_name(*command, "--samples", "--raw");
  add_old_name(*command, "--plan", "--dry-run");
  CHECK(stderr_of([&] { parse(app, {"--samples", "a"}); }) == "note: --samples is now --raw\n");
  CHECK(raw == "a");
  CHECK(stderr_of([&] { parse(app, {"--samples=b"}); }).empty());  // said once
  CHECK(raw == "b");
  CHECK(stderr_of([&] { parse(app, {"--plan"}); }) == "note: --plan is now --dry-run\n");
  CHECK(dry_run);
  CHECK_THROWS_WITH(parse(app, {"--samples", "--plan"}),
                    "--raw needs a value, but --plan follows: add a value after --raw");
  CHECK(stderr_of([&] { parse(app, {"--raw", "c", "--dry-run"}); }).empty());
}

TEST_CASE("an option that became a part of another one says how to write that") {
  CLI::App app;
  CLI::App* command = app.add_subcommand("do");
  std::string staleness;
  bool quiet = false;
  add_old_option(*command, "--bound", "--strategy stale_synchronous:staleness={}",
                 [&](const std::string& text) { staleness = text; });
  add_old_flag(*command, "--quiet", "--output quiet", [&] { quiet = true; });
  CHECK(stderr_of([&] {
          parse(app, {"--bound", "2", "--quiet"});
        }) ==
        "note: --bound is now --strategy stale_synchronous:staleness=2\n"
        "note: --quiet is now --output quiet\n");
  CHECK(staleness == "2");
  CHECK(quiet);
}

TEST_CASE("old names are not in the help") {
  CLI::App app;
  std::string raw;
  app.add_option("--raw", raw, "Samples");
  add_old_name(app, "--samples", "--raw");
  add_old_option(app, "--bound", "--strategy", [](const std::string&) {});
  add_old_flag(app, "--quiet", "--output quiet", [] {});
  const std::string help = app.help();
  CHECK(help.find("--raw") != std::string::npos);
  for (const char* old : {"--samples", "--bound", "--quiet"})
    CHECK(help.find(old) == std::string::npos);
}
