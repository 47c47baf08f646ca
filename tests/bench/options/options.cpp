#include "bench/options/options.hpp"

#include <CLI/CLI.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

// The options of a command line such as "ring -p 4".
SweepOptions parse(const std::string& line) {
  CLI::App app;
  SweepOptions options;
  options.add_axes(app, true);
  options.add_outputs(app);
  app.parse(line);
  return options;
}

// "ring 4 1000; tree 4 1000;": algorithm, ranks and elements of each configuration.
std::string configs(const std::string& line) {
  std::string all;
  for (const Config& c : parse(line).configs())
    all += std::string(c.algorithm->name) + " " + std::to_string(c.problem.ranks) + " " +
           std::to_string(c.problem.elements) + "; ";
  return all;
}

std::string refused(const std::string& line) {
  return failure([&] { parse(line).configs(); });
}

}  // namespace

TEST_CASE("a sweep goes by ranks, then size, then algorithm") {
  CHECK(configs("tree,ring -p 2,3 -n 7,5") ==
        "tree 2 7; ring 2 7; tree 2 5; ring 2 5; tree 3 7; ring 3 7; tree 3 5; ring 3 5; ");
}

TEST_CASE("algorithms are arguments, lists of them, or all") {
  CHECK(configs("ring tree -p 2 -n 1") == "ring 2 1; tree 2 1; ");
  CHECK(configs("ring,tree -p 2 -n 1") == "ring 2 1; tree 2 1; ");
  CHECK(configs("ring ring,tree -p 2 -n 1") == "ring 2 1; tree 2 1; ");
  CHECK(parse("all").chosen_algorithms().size() == algorithms().size());
  CHECK(parse("").chosen_algorithms().size() == algorithms().size());
  CHECK(parse("tree all").chosen_algorithms().size() == algorithms().size());
  CHECK(parse("tree all").chosen_algorithms().front()->name == "tree");
}

TEST_CASE("an option before the algorithms does not swallow them") {
  CHECK(configs("-p 2 ring -n 1 tree") == "ring 2 1; tree 2 1; ");
  CHECK(configs("-n 1 -p 2 -p 3 ring") == "ring 2 1; ring 3 1; ");
}

TEST_CASE("all means all that have the collective") {
  for (const Algorithm* a : parse("all -c broadcast").chosen_algorithms())
    CHECK(std::count(a->collectives.begin(), a->collectives.end(), Collective::broadcast) == 1);
  CHECK(configs("tree -c broadcast --root 2 -p 4 -n 5") == "tree 4 5; ");
  CHECK(configs("ring -c broadcast -p 4 -n 5") == "ring 4 5; ");  // to be skipped with its reason
}

TEST_CASE("all has a channel per NIC where nodes have several") {
  const auto nodes = [](Rank nics, Rank size) {
    return LayoutOf([=](Rank p, bool) {
      return RankLayout{
          std::make_shared<const Groups>(Groups::consecutive(p, size)), nullptr, nullptr, {}, nics};
    });
  };
  const auto with_channels = [](const std::string& line, const LayoutOf& network) {
    std::string names;
    for (const Config& c : parse(line).configs(std::span(&network, 1)))
      if (c.algorithm->name.starts_with("ring") || c.algorithm->name.starts_with("nccl_tree"))
        names += std::string(c.algorithm->name) + " ";
    return names;
  };
  CHECK(with_channels("all -p 8 -n 64", nodes(4, 4)) ==
        "nccl_tree nccl_tree:channels=4 ring ring:channels=4 ");
  CHECK(with_channels("ring:channels=4 all -p 8 -n 64", nodes(4, 4)) ==
        "ring:channels=4 nccl_tree nccl_tree:channels=4 ring ");
  CHECK(with_channels("all -p 8 -n 64", nodes(1, 4)) == "nccl_tree ring ");
  CHECK(with_channels("all -p 8 -n 64", nodes(4, 8)) == "nccl_tree ring ");  // one node
  CHECK(with_channels("all -p 8 -n 64 -c all_gather", nodes(4, 4)) == "ring ");
  CHECK(with_channels("ring -p 8 -n 64", nodes(4, 4)) == "ring ");
  CHECK(with_channels("all -p 8 -n 64 --layout groups=2", nodes(4, 4)) == "nccl_tree ring ");
}

TEST_CASE("lists and ranges of ranks and sizes") {
  CHECK(configs("ring -p 2..8,3 -n 1") == "ring 2 1; ring 4 1; ring 8 1; ring 3 1; ");
  CHECK(configs("ring -p 2 -n 0..4+2") == "ring 2 0; ring 2 2; ring 2 4; ");
  CHECK(configs("ring -p 2 -s 1K..4K") == "ring 2 256; ring 2 512; ring 2 1024; ");
  CHECK(configs("ring -p 2 -s 1K -t float64") == "ring 2 128; ");
  CHECK(configs("ring -p 2 -s 6 -t bfloat16") == "ring 2 3; ");
}

TEST_CASE("each configuration has the operand, root and segments") {
  const Config c =
      parse("tree -p 4 -n 9 -t int64 --op max --master 3 --segments 2").configs().front();
  CHECK(c.operand.dtype == DType::int64);
  CHECK(c.operand.op == Op::max);
  CHECK(c.problem.root == 3);
  CHECK(c.segments == 2);
}

TEST_CASE("types, operations, roots and segments are lists, too") {
  std::string all;
  for (const Config& c : parse("ring -p 4 -s 8 -t float32,float64 --op sum,max --root 0,3 "
                               "--segments 1,2")
                             .configs())
    all += std::to_string(c.problem.elements) + std::string(name(c.operand.dtype)) +
           std::string(name(c.operand.op)) + std::to_string(c.problem.root) +
           std::to_string(c.segments) + " ";
  CHECK(all ==
        "2float32sum01 2float32sum02 2float32sum31 2float32sum32 2float32max01 2float32max02 "
        "2float32max31 2float32max32 1float64sum01 1float64sum02 1float64sum31 1float64sum32 "
        "1float64max01 1float64max02 1float64max31 1float64max32 ");
  CHECK(parse("ring -p 4 -n 1 --op max,max").configs().size() == 1);
  CHECK(refused("ring -p 4 -n 1 --op sum,mox").find("unknown op 'mox'") != std::string::npos);
  CHECK(refused("ring -p 4 -n 1 --root 0,x").find("--root 'x' is not a count") !=
        std::string::npos);
}

TEST_CASE("a range multiplies by a factor after x or *") {
  CHECK(configs("ring -p 2 -n 1..16x4") == "ring 2 1; ring 2 4; ring 2 16; ");
  CHECK(configs("ring -p 2 -n 1..16x4") == configs("ring -p 2 -n 1..16*4"));
  CHECK(configs("ring -p 2 -s 1K..16Kx4") == "ring 2 256; ring 2 1024; ring 2 4096; ");
  CHECK_FALSE(refused("ring -p 2 -n 1..16x").empty());
  CHECK_FALSE(refused("ring -p 2 -n 1..16x1").empty());
}

TEST_CASE("bad names are answered with the nearest one") {
  CHECK(refused("rign -p 2 -n 1").find("did you mean 'ring'?") != std::string::npos);
  CHECK(refused("ring -p 2 -n 1 -t flaot32") ==
        "2: unknown dtype 'flaot32', did you mean 'float32'? (one of float32, float64, float16, "
        "bfloat16, int32, int64, int8, uint8, uint32, uint64, float8_e4m3, float8_e5m2)");
  CHECK(refused("ring -p 2 -n 1 --op xyzzy") ==
        "2: unknown op 'xyzzy': use one of sum, prod, min, max, avg");
  CHECK(refused("ring -p 2 -n 1 -c reduce-scatter").find("did you mean 'reduce_scatter'?") !=
        std::string::npos);
}

TEST_CASE("sizes must be whole numbers of elements that can be counted") {
  CHECK(refused("ring -p 2 -s 10") ==
        "2: --size 10 is not a whole number of 4-byte elements (float32): use a multiple of 4, or "
        "-n");
  CHECK(refused("ring -p 2 -s -4").find("--size is -4: give 0 or more") != std::string::npos);
  CHECK(refused("ring -p 2 -n 4e18").find("elements is 4000000000000000000: with 2 ranks") !=
        std::string::npos);
  CHECK(refused("ring -p 2 -n 9007199254740991").empty());  // the most that 2 ranks may send about
  CHECK_FALSE(refused("ring -p 2 -n 9007199254740992").empty());
  CHECK(refused("ring -p 2 -n 5 -s 20") ==
        "2: --elements and --size both set the length of the vector: give only one");
}

TEST_CASE("ranks, roots and segments are held to their ranges") {
  CHECK(refused("ring -p 0 -n 1") == "2: ranks is 0: give 1 to 1073741824, for example -p 4");
  CHECK(refused("ring -p -3 -n 1") == "2: ranks is -3: give 1 to 1073741824, for example -p 4");
  CHECK(refused("ring -p 1073741825 -n 1").find("give 1 to 1073741824") != std::string::npos);
  CHECK(refused("ring -p 1073741824 -n 0").empty());
  CHECK(refused("tree -p 4 -n 1 --root 4") ==
        "2: root is 4, but the ranks are 0 to 3: choose one of those");
  CHECK(refused("tree -p 4,2 -n 1 --root 2").find("root is 2") != std::string::npos);
  CHECK(refused("tree -p 4 -n 1 --root -1").find("--root is -1: give 0 to ") != std::string::npos);
  CHECK(refused("ring -p 4 -n 1 --segments 0") == "2: --segments is 0: give 1 to 65536");
  CHECK(refused("ring -p 4 -n 1 --segments 65537") == "2: --segments is 65537: give 1 to 65536");
}

TEST_CASE(
    "a sweep of more configurations than anybody waits for is refused before it fills memory") {
  CHECK(refused("ring -p 1..100000+1 -n 1..100000+1") ==
        "2: 1e+10 configurations are too many: take larger steps, at most 1,000,000 "
        "configurations in one sweep");
  CHECK(parse("ring,tree -p 1..500000+1 -n 1").configs().size() == 1'000'000);
}

TEST_CASE("the most messages are given as a count, too") {
  CHECK(parse("ring").max_messages == 1e9);
  CHECK(parse("ring --limit messages=1e6").max_messages == 1e6);
  CHECK(parse("ring --limit messages=2G").max_messages == 2147483648.0);
  CHECK(refused("ring --limit messages=few").find("--limit messages 'few' is not a count") !=
        std::string::npos);
}

TEST_CASE("a seed is a number of 0 or more") {
  const auto seed_of = [](const std::string& line) {
    CLI::App app;
    std::uint64_t seed = 7;
    add_seed(
        app, [&seed](std::uint64_t given) { seed = given; }, "of a test");
    app.parse(line);
    return seed;
  };
  CHECK(seed_of("") == 7);
  CHECK(seed_of("--seed 0") == 0);
  CHECK(seed_of("--seed 4K") == 4096);
  CHECK(failure([&] { seed_of("--seed -1"); }) == "2: --seed is -1: give a number of 0 or more");
}
