#include "simulator/topologies/placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "simulator/topologies/import/file.hpp"
#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using Hosts = std::vector<Rank>;

std::string read_error(std::string_view text, Rank ranks) {
  return error_text(Blame::usage,
                    [&] { read_placement(text, make_topology("crossbar:hosts=4"), ranks); });
}

}  // namespace

TEST_CASE("block places ranks in order, cyclic round robin over the groups") {
  const Topology t = make_topology("leaf_spine:leaves=3,hosts=2");
  CHECK(place(t, Placement::block, 4) == Hosts{0, 1, 2, 3});
  CHECK(place(t, Placement::cyclic, 6) == Hosts{0, 2, 4, 1, 3, 5});
  CHECK(place(t, Placement::cyclic, 4) == Hosts{0, 2, 4, 1});
  CHECK(error_text(Blame::usage, [] { place(make_topology("ring"), Placement::cyclic, 2); }) ==
        "placement 'cyclic' needs groups, and ring has none: use block or random");
}

TEST_CASE("random takes every host once and depends only on the seed") {
  const Topology t = make_topology("crossbar:hosts=100");
  const Hosts one = place(t, Placement::random, 100, 1);
  CHECK(one == place(t, Placement::random, 100, 1));
  CHECK(one != place(t, Placement::random, 100, 2));
  Hosts sorted = one;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == place(t, Placement::block, 100));
  CHECK(sorted != one);
  const Hosts few = place(t, Placement::random, 10, 1);
  CHECK(std::equal(few.begin(), few.end(), one.begin()));
}

TEST_CASE("random draws each order of four hosts equally often") {
  const Topology t = make_topology("crossbar:hosts=4");
  std::map<Hosts, int> drawn;
  for (std::uint64_t seed = 0; seed < 4800; ++seed) ++drawn[place(t, Placement::random, 4, seed)];
  CHECK(drawn.size() == 24);
  for (const auto& [hosts, times] : drawn) CHECK(std::abs(times - 200) < 70);  // 5 sigma
}

TEST_CASE("rejects more ranks than hosts") {
  CHECK(error_text(Blame::usage, [] {
          place(make_topology("ring:hosts=4"), Placement::block, 5);
        }) == "5 ranks do not fit on the 4 hosts of ring:hosts=4: make it larger");
}

TEST_CASE("reads placements with names or numbers, comments and empty lines") {
  const Topology t = make_topology("crossbar:hosts=4");
  CHECK(read_placement("h3\n  1 # the second\r\n\n# none\nh0", t, 3) == Hosts{3, 1, 0});
  CHECK(read_placement("2\n1\n0\n", t, 2) == Hosts{2, 1});
}

TEST_CASE("reads the hostfiles and rankfiles of MPI") {
  const Topology t = make_topology("crossbar:hosts=4");
  CHECK(read_placement("h3 slots=1\nh1:1\nh0 slots=1 max_slots=4\n", t, 3) == Hosts{3, 1, 0});
  CHECK(read_placement("rank 1=h2 slot=0\nrank 0=h3 slot=1\n", t, 2) == Hosts{3, 2});
  const Topology nodes = make_topology("dgx_h100:systems=2");
  const std::string first = nodes.node(0).name, second = nodes.node(8).name;
  const auto prefix = [](const std::string& name) { return name.substr(0, name.find('g')); };
  INFO(first << " " << second);
  CHECK(read_placement(prefix(second) + " slots=2\n" + prefix(first) + ":2\n", nodes, 4) ==
        Hosts{8, 9, 0, 1});
  CHECK(
      read_placement("rank 1=" + prefix(first) + " slot=3\nrank 0=" + prefix(second) + " slot=0\n",
                     nodes, 2) == Hosts{8, 3});
  CHECK(read_error("h0 slots=2", 2).find("has 2 slots, but the topology has 1 such hosts") !=
        std::string::npos);
  CHECK(read_error("h0 slots=x", 1).find("'x': give a whole number") != std::string::npos);
  CHECK(read_error("rank 1=h0 slot=0", 2) ==
        "the placement has no line for rank 0: add 'rank N=HOST slot=0'");
}

TEST_CASE("errors in placements name the line") {
  CHECK(read_error("h0\nh9\n", 2) ==
        "placement, line 2: host 'h9' is not a host of crossbar:hosts=4: use h0 to h3, or their "
        "numbers from 0");
  CHECK(read_error("h0\n4", 2).find("line 2: host '4' is not a host") != std::string::npos);
  CHECK(read_error("-1", 1).find("line 1: host '-1' is not a host") != std::string::npos);
  CHECK(read_error("s0", 1).find("line 1: host 's0' is not a host") != std::string::npos);
  // A switch that is called by a number is no host of that number.
  const Topology numbered = parse_topology(
      "graph { node [kind=host]; edge [bandwidth=\"1Gbps\", latency=0]; 1; 2; 3; "
      "node [kind=switch]; 0; 0--1; 0--2; 0--3 }",
      "n.dot");
  CHECK(read_placement("2\n3\n", numbered, 2) == Hosts{1, 2});
  CHECK(error_text(Blame::usage, [&] { read_placement("2\n0\n", numbered, 2); }) ==
        "placement, line 2: host '0' is not a host of n.dot, but a switch: use 1 to 3, or their "
        "numbers from 0");
  CHECK(read_error("h1\n\n1", 2) ==
        "placement, line 3: host '1' is already taken on line 1: use another");
  CHECK(read_error("h1\n", 3) ==
        "the placement names 1 hosts for 3 ranks: add a line for each rank");
  CHECK(read_error("", 1).find("names 0 hosts") != std::string::npos);
}

TEST_CASE("find_placement suggests the nearest name") {
  CHECK(error_text(Blame::usage, [] { find_placement("blok"); }) ==
        "unknown placement 'blok', did you mean 'block'? (one of block, cyclic, random or a file)");
}
