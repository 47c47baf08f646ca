#include "simulator/topologies/routing/adding_tree.hpp"

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/import/file.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::vector<std::string> names(const Topology& topology, const std::vector<LinkId>& links) {
  std::vector<std::string> all;
  for (const LinkId link : links) all.push_back(topology.link(link).name);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("a transfer takes each link of its tree once: up of givers, down of takers") {
  const Topology star = make_topology("crossbar:hosts=3,aggregate=yes", 0);
  const LinkIndex links(star);
  const std::vector<NodeId> all{0, 1, 2}, one{1};
  const auto tree = adding_tree(star, links, all);
  REQUIRE(tree);
  const auto reduce = tree->ways(all, one), multicast = tree->ways(one, all);
  CHECK(names(star, reduce.links) == std::vector<std::string>{"h0-s0", "h1-s0", "h2-s0", "s0-h1"});
  CHECK(names(star, multicast.links) ==
        std::vector<std::string>{"h1-s0", "s0-h0", "s0-h1", "s0-h2"});
  CHECK(reduce.latency == 2 * Time{500'000});
}

TEST_CASE("over two levels a switch adds before its up link, which carries one sum") {
  const Topology two = make_topology("leaf_spine:leaves=2,hosts=2,spines=2,aggregate=yes", 0);
  const LinkIndex links(two);
  const std::vector<NodeId> all{0, 1, 2, 3}, leaf{0, 1};
  const auto tree = adding_tree(two, links, all, 1);
  REQUIRE(tree);
  CHECK(names(two, tree->ways(all, {}).links) ==
        std::vector<std::string>{"h0-leaf0", "h1-leaf0", "h2-leaf1", "h3-leaf1", "leaf0-spine1",
                                 "leaf1-spine1"});
  CHECK(tree->ways(all, all).latency == 4 * Time{500'000});
  // The ranks of one leaf need no spine.
  CHECK(adding_tree(two, links, leaf)->ways(leaf, leaf).links.size() == 4);
}

TEST_CASE("only switches that add join ranks") {
  const Topology pod = make_topology("rail_pod:nodes=2,gpus=2,nvls=yes", 0);
  const LinkIndex links(pod);
  CHECK(adding_tree(pod, links, std::vector<NodeId>{0, 1}));
  CHECK_FALSE(adding_tree(pod, links, std::vector<NodeId>{0, 2}));
  const Topology rails = make_topology("rail_pod:nodes=2,gpus=2,sharp=yes", 0);
  CHECK(adding_tree(rails, LinkIndex(rails), std::vector<NodeId>{0, 2}));
  CHECK_FALSE(has_adding_switch(make_topology("crossbar", 2)));
}

TEST_CASE("a file says which switches add, how fast and with which latency") {
  const Topology file = parse_topology(R"(graph {
    a [kind=host]; b [kind=host];
    s [kind=switch, aggregate=yes, aggregate_bandwidth="5GB/s", aggregate_latency="200ns"];
    a -- s [bandwidth="10GB/s", latency="1us"]; b -- s [bandwidth="10GB/s", latency="2us"];
  })",
                                       "net.dot");
  const std::vector<NodeId> both{0, 1}, first{0};
  const auto tree = adding_tree(file, LinkIndex(file), both);
  REQUIRE(tree);
  CHECK(tree->ways(both, first).latency == Time{(2'000 + 200 + 1'000) * 1'000});  // the slowest
  CHECK(adding_rates(file) == std::vector<double>(4, 5e9));
  CHECK_THROWS_WITH(
      parse_topology("graph { a [kind=host]; s [kind=switch, aggregate_latency=\"1us\"]; "
                     "a -- s [bandwidth=\"1GB/s\", latency=\"1us\"] }",
                     "net.dot"),
      "net.dot: node 's' has aggregate_latency, but does not aggregate: write "
      "aggregate=yes, too");
}
