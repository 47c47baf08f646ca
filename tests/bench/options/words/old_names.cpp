#include "bench/options/words/old_names.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/options/words/words.hpp"
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
  CHECK(stderr_of([&] { parse(app, {"--samples", "a"}); }) == "note: --samples is now --raw\n");
  CHECK(raw == "a");
  CHECK(stderr_of([&] { parse(app, {"--samples=b"}); }).empty());  // said once
  CHECK(raw == "b");
  CHECK(stderr_of([&] { parse(app, {"--plan"}); }) == "note: --plan is now --dry-run\n");
  CHECK(dry_run);
  CHECK_THROWS_WITH(parse(app, {"--samples", "--plan"}),
                    "--raw needs a value, but --dry-run follows: add a value after --raw");
  CHECK(stderr_of([&] { parse(app, {"--raw", "c", "--dry-run"}); }).empty());
  CHECK_THROWS_AS(parse(app, {"--place", "in"}), CLI::ExtrasError);  // "do" has no --buffers
}

TEST_CASE("an option of that name is no old name, and neither is a word after --") {
  CLI::App app;
  CLI::App* command = app.add_subcommand("do");
  std::string samples, raw;
  std::vector<std::string> rest;
  command->add_option("--samples", samples);
  command->add_option("--raw", raw);
  command->add_option("rest", rest);
  parse(app, {"--samples", "a", "--", "--plan"});
  CHECK(samples == "a");
  CHECK(raw.empty());
  CHECK(rest == std::vector<std::string>{"--plan"});
}

TEST_CASE("an option that became a parameter of the strategy goes there") {
  const auto strategy = [](std::vector<std::string> words) {
    CLI::App app;
    CLI::App* command = app.add_subcommand("do");
    std::string spec;
    command->add_option("-s,--strategy", spec);
    stderr_of([&] { parse(app, std::move(words)); });
    return spec;
  };
  CHECK(strategy({"-s", "stale_synchronous", "--bound", "2"}) == "stale_synchronous:staleness=2");
  CHECK(strategy({"--delay=2", "--strategy=diloco:fragments=4"}) == "diloco:fragments=4,delay=2");
  CHECK(strategy({"-sdiloco", "--mix", "0.5", "--every", "3"}) == "diloco:mix=0.5,every=3");
  CHECK_THROWS_WITH(
      strategy({"--bound", "2"}),
      "--bound has no effect here: it needs --strategy stale_synchronous:staleness=2");
  CHECK_THROWS_WITH(strategy({"-s", "diloco", "--mix"}), "--mix needs a value: add one after it");
}

TEST_CASE("the options of a network before --network become one") {
  const auto network = [](std::vector<std::string> words) {
    CLI::App app;
    CLI::App* command = app.add_subcommand("do");
    std::string spec, output;
    command->add_option("--network", spec);
    command->add_option("-o,--output", output);
    stderr_of([&] { parse(app, std::move(words)); });
    return spec;
  };
  CHECK(network({"--L", "5us", "--model", "loggops", "--o=1us", "-o", "-"}) ==
        "loggops:L=5us,o=1us");
  CHECK(network({"--overhead", "1us", "--model=loggops"}) == "loggops:o=1us");
  CHECK(network({"--beta", "1ns"}) == "alpha_beta:beta=1ns");
  CHECK(network({"--topology", "ring", "--mtu", "1K", "--model", "packet"}) ==
        "packet:mtu=1K,topology=ring");
  CHECK(network({"--topology", "ring,torus:dims=2x2", "--placement", "block,random"}) ==
        "ring:placement=block,ring:placement=random,torus:placement=block,dims=2x2,"
        "torus:placement=random,dims=2x2");
  CHECK(network({"--network", "packet", "--topology=ring", "--routing", "ecmp", "--seed", "3",
                 "--fault", "dead=h0--h1,slow=h1-h2:4"}) ==
        "packet:topology=ring:routing=ecmp,seed=3,dead=h0--h1,slow=h1-h2:4");
  CHECK(network({"--placement", "random", "--machine", "m.toml"}) == "m.toml:placement=random");
  CHECK(network({"--machine", "m.toml", "--model", "connections", "--shared", "no"}) ==
        "m.toml:shared=no");
  CHECK(network({"--network", "loggops:L=5us", "--G", "1ns"}) == "loggops:L=5us,G=1ns");
  CHECK_THROWS_WITH(network({"--machine", "m.toml", "--model", "fluid"}),
                    "m.toml describes model connections, not fluid: leave out one of them");
  CHECK_THROWS_WITH(network({"--network", "10G", "--model", "fluid"}),
                    "--network 10G has the model: leave out --model and --machine");
}

TEST_CASE("algorithms that an option named are arguments") {
  const auto algorithms = [](std::vector<std::string> words) {
    CLI::App app;
    CLI::App* command = app.add_subcommand("do");
    std::vector<std::string> names;
    command->add_option("algorithms", names);
    stderr_of([&] { parse(app, std::move(words)); });
    return names;
  };
  const std::vector<std::string> both{"ring,tree", "swing"};
  CHECK(algorithms({"--algorithm", "ring,tree", "swing"}) == both);
  CHECK(algorithms({"-a", "ring,tree", "swing"}) == both);
  CHECK(algorithms({"-aring,tree", "swing"}) == both);
  CHECK(algorithms({"ring,tree", "-a=swing"}) == both);
}

TEST_CASE("the topology before the old options of a network gets them as settings") {
  const auto topology = [](std::vector<std::string> words) {
    CLI::App app;
    CLI::App* command = app.add_subcommand("do");
    std::string spec, output;
    command->add_option("topology", spec);
    command->add_option("-o,--output", output);
    stderr_of([&] { parse(app, std::move(words)); });
    return spec;
  };
  CHECK(topology({"torus:dims=2x2", "--placement", "random", "-o", "out"}) ==
        "torus:placement=random,dims=2x2");
  CHECK(topology({"--fault", "dead=h0--h1", "ring:hosts=4", "--fault", "dead=h2--h3"}) ==
        "ring:dead=h0--h1,dead=h2--h3,hosts=4");
}
