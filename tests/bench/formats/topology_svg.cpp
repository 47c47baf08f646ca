// Pictures of topologies: well formed, and every node in them.
#include "bench/formats/topology_svg.hpp"

#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::bench;

namespace {

int occurrences(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("every topology has a picture: well-formed XML, a mark a node, a line a pair of nodes") {
  for (const TopologyKind& kind : topologies()) {
    const Topology t = make_topology(kind.name, 20);
    INFO(t.spec());
    const std::string svg = svg_of(t);
    boost::property_tree::ptree tree;
    std::istringstream in(svg);
    REQUIRE_NOTHROW(boost::property_tree::read_xml(in, tree));
    CHECK(occurrences(svg, "<circle") == t.hosts());
    CHECK(occurrences(svg, "class=\"switch\"") == t.nodes() - t.hosts());
    std::set<std::pair<NodeId, NodeId>> pairs;
    for (const Link& link : t.links()) pairs.insert(std::minmax(link.from, link.to));
    CHECK(occurrences(svg, "<path d=\"M") == static_cast<int>(pairs.size() + t.tiers().size()));
    CHECK(svg.find("nan") == std::string::npos);
  }
}

TEST_CASE("marks are 0.3 of the room between nodes, within 1.5 and 7, or 10 of a switch") {
  const std::string few = svg_of(make_topology("crossbar:hosts=2"));
  CHECK(occurrences(few, "r=\"7.0\"") == 2);
  CHECK(occurrences(few, "width=\"20.0\"") == 1);
  CHECK(occurrences(svg_of(make_topology("crossbar:hosts=1000")), "r=\"1.5\"") == 1000);
}

TEST_CASE("a text of the legend begins 30 right of its line, which is 24 long") {
  const std::string svg = svg_of(make_topology("crossbar:hosts=2"));
  const std::size_t line = svg.find("h24\""), text = svg.find("class=\"left\">host, ");
  REQUIRE(line != std::string::npos);
  REQUIRE(text != std::string::npos);
  const auto number_after = [&](const char* what, std::size_t before) {
    return std::stod(svg.substr(svg.rfind(what, before) + std::string(what).size()));
  };
  CHECK(number_after("<text x=\"", text) == number_after("<path d=\"M", line) + 30);
}

TEST_CASE("names are escaped") {
  TopologyBuilder builder("<&>", 1, 0, 0);
  builder.add_host("\"<a>\"");
  const std::string svg = svg_of(std::move(builder).build());
  CHECK(svg.find("&lt;&amp;&gt;") != std::string::npos);
  CHECK(svg.find("&quot;&lt;a&gt;&quot;") != std::string::npos);
}

TEST_CASE("rejects topologies that are too large for a picture") {
  const Topology t = make_topology("crossbar:hosts=6000");
  CHECK(error_text(Blame::usage, [&] { svg_of(t); }) ==
        "crossbar:hosts=6000 has 6001 nodes and 12000 links, more than the 5000 and 50000 that a "
        "picture can show: use a smaller topology");
}
