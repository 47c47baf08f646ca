// GraphML and DOT files: valid files, and clear errors for malformed ones.
#include "simulator/topologies/import/file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr const char* kDot = R"(graph rack {
  node [kind=host, group=left]; edge [bandwidth="100Gbps", latency="1us"];
  a; b; c [group=right];
  top [kind=switch];
  a -- top; b -- top; c -- top [bandwidth="25Gbps", name=narrow];
})";

constexpr const char* kGraphml = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k0" for="node" attr.name="kind" attr.type="string"/>
  <key id="k1" for="node" attr.name="name" attr.type="string"/>
  <key id="k2" for="edge" attr.name="bandwidth" attr.type="double"/>
  <key id="k3" for="edge" attr.name="latency" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="x"><data key="k0">switch</data><data key="k1">top</data></node>
    <node id="y"><data key="k0">host</data><data key="k1">a</data></node>
    <node id="z"><data key="k0">host</data></node>
    <edge source="y" target="x"><data key="k2">1e9</data><data key="k3">1us</data></edge>
    <edge source="x" target="y"><data key="k2">2e9</data><data key="k3">2us</data></edge>
    <edge source="z" target="x"><data key="k2">3e9</data><data key="k3">1e-6</data></edge>
    <edge source="x" target="z"><data key="k2">4e9</data><data key="k3">0</data></edge>
  </graph>
</graphml>)";

std::string refusal(const std::string& text, const std::string& name = "net.dot") {
  return error_text(Blame::usage, [&] { parse_topology(text, name); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("DOT: undirected edges are cables, defaults apply, hosts come first") {
  const Topology t = parse_topology(kDot, "net.dot");
  CHECK(t.spec() == "net.dot");
  CHECK(t.hosts() == 3);
  CHECK(t.nodes() == 4);
  CHECK(t.links().size() == 6);
  CHECK(t.node(3).name == "top");
  CHECK(t.node(3).level == 1);
  CHECK(t.groups() == 2);
  CHECK(t.group_of(1) == 0);
  CHECK(t.group_of(2) == 1);
  CHECK_FALSE(t.hosts_forward());
  Router router(t);
  const auto route = router.route(0, 2);
  CHECK(names(t, route) == "a-top narrow back");
  CHECK(t.link(route[0]).bandwidth == 12.5e9);
  CHECK(t.link(route[1]).bandwidth == Approx(3.125e9));
  CHECK(router.latency(route) == 2 * kMicrosecond);
}

TEST_CASE("DOT: directed edges are links, and without switches hosts forward messages") {
  const Topology t = parse_topology(
      "digraph { node [kind=host]; edge [bandwidth=1000000000, latency=0.000001]; a -> b -> c -> a "
      "}",
      "r.gv");
  CHECK(t.links().size() == 3);
  CHECK(t.hosts_forward());
  Router router(t);
  CHECK(names(t, router.route(0, 2)) == "a-b b-c");
  CHECK(t.link(0).bandwidth == 1e9);
  CHECK(t.link(0).latency == kMicrosecond);
}

TEST_CASE("GraphML: keys of any type, optional names") {
  const Topology t = parse_topology(kGraphml, "net.graphml");
  CHECK(t.hosts() == 2);
  CHECK(t.node(0).name == "a");
  CHECK(t.node(1).name == "n2");
  Router router(t);
  const auto route = router.route(0, 1);
  CHECK(names(t, route) == "a-top top-n2");
  CHECK(t.link(route[0]).bandwidth == 1e9);
  CHECK(t.link(route[1]).bandwidth == 4e9);
  CHECK(router.latency(route) == kMicrosecond);
  const Topology cables = parse_topology(
      replaced(
          replaced(replaced(kGraphml, "edgedefault=\"directed\"", "edgedefault=\"undirected\""),
                   "<edge source=\"x\" target=\"y\">", "<edge source=\"y\" target=\"x\">"),
          "attr.type=\"double\"", "attr.type=\"float\""),
      "net.xml");
  CHECK(cables.links().size() == 8);
}

TEST_CASE("files are recognized by their extension") {
  for (const char* file : {"a.dot", "b/c.gv", "x.graphml", "x.xml"}) CHECK(is_topology_file(file));
  for (const char* spec : {"torus", "fat_tree:k=8", "dot"}) CHECK_FALSE(is_topology_file(spec));
}

TEST_CASE("errors for impossible bandwidths and latencies name the link and the value") {
  for (const char* value :
       {"0", "-5", "nan", "inf", "\"1e300\"", "0.5", "\"\"", "fast", "\"1e999\""}) {
    const std::string text = refusal(replaced(kDot, "\"25Gbps\"", value));
    INFO(value << ": " << text);
    CHECK(text.find("'narrow'") != std::string::npos);
    CHECK(text.find("bandwidth") != std::string::npos);
  }
  for (const char* value : {"-1", "nan", "1000", "\"3 weeks\"", "\"\""}) {
    const std::string text =
        refusal(replaced(kDot, "name=narrow", "name=narrow, latency=" + std::string(value)));
    INFO(value << ": " << text);
    CHECK(text.find("net.dot: link 'narrow': latency '") == 0);
  }
  CHECK(refusal(replaced(kDot, "bandwidth=\"100Gbps\", ", "")) ==
        "net.dot: link 'a-top' has no bandwidth: add bandwidth=100Gbps");
  CHECK(refusal(replaced(kDot, ", latency=\"1us\"", "")) ==
        "net.dot: link 'a-top' has no latency: add latency=1us");
}

TEST_CASE(
    "GraphML: errors for impossible bandwidths name the link and the value, for any key type") {
  for (const char* type : {"double", "float", "string"})
    for (const char* value : {"0", "-5", "nan", "inf", "1e300", "0.25"}) {
      const std::string text = refusal(replaced(replaced(kGraphml, "attr.type=\"double\"",
                                                         "attr.type=\"" + std::string(type) + "\""),
                                                "1e9", value),
                                       "net.xml");
      INFO(type << " " << value << ": " << text);
      CHECK((text.find("link 'a-top' has a bandwidth of ") == 0 ||
             text.find("net.xml is not a readable GraphML file: ") == 0));
    }
}

TEST_CASE("DOT: rejects unquoted numbers with units, which Graphviz truncates silently") {
  for (const char* word : {"100Gbps", "1e9", "12.5GB/s", "2x"})
    CHECK(refusal(replaced(kDot, "\"25Gbps\"", word)) ==
          "net.dot: '" + std::string(word) +
              "' has no quotes, so DOT reads a number and a word: write \"" + word + "\"");
  CHECK(refusal(replaced(kDot, "a; b;", "a; /* 1e9 */ b; // 2x\n# 3x\n")) == "no error");
}

TEST_CASE("rejects missing, wrong and duplicate kinds, groups and names") {
  CHECK(refusal(replaced(kDot, "kind=switch", "kind=router")) ==
        "net.dot: node 'top' is of kind 'router': write kind=host or kind=switch");
  CHECK(refusal(replaced(kDot, "kind=host, ", "")) ==
        "net.dot: node 'a' has no kind: write kind=host or kind=switch");
  CHECK(refusal(replaced(kDot, ", group=left", "")) ==
        "net.dot: some hosts have a group and some have none: give all of them one");
  CHECK(refusal(replaced(kDot, "b -- top", "b -- top [name=narrow]")) ==
        "two links are called 'narrow': give each its own name");
  CHECK(refusal(replaced(kGraphml, "<node id=\"z\"><data key=\"k0\">host</data>",
                         "<node id=\"z\"><data key=\"k0\">host</data><data key=\"k1\">a</data>"),
                "net.xml") == "two nodes are called 'a': give each its own name");
  CHECK(refusal(replaced(kDot, "a -- top", "a -- top; a -- a")) ==
        "link 'a-a' joins 'a' with itself: remove it");
  CHECK(refusal("graph { s [kind=switch] }") == "net.dot has no hosts: give at least one");
}

TEST_CASE("the error for a disconnected file names the hosts that cannot reach each other") {
  CHECK(refusal(replaced(kDot, "c -- top", "c -- d")) ==
        "net.dot is not connected: c, d cannot reach a");
  CHECK(refusal("digraph { node [kind=host]; edge [bandwidth=1000, latency=0]; a -> b }") ==
        "net.dot is not connected: b cannot reach a");
}

TEST_CASE("errors for malformed text name the file") {
  for (const char* text :
       {"", "graph", "graph {", "graph { a -- }", "graph { a -> b }", "digraph { a -- b }",
        "graph { a [kind=host }", "}{", "graph { a [\"kind] }", "strict", "\xff\xfe\0"}) {
    INFO(text);
    CHECK(refusal(text).find("net.dot is not a readable DOT file: ") == 0);
  }
  for (const char* text :
       {"", "<graphml>", "<graphml><graph></graphml>", "text", "<a/>", "<graphml/>"}) {
    INFO(text);
    const std::string said = refusal(text, "net.graphml");
    CHECK((said.find("net.graphml is not a readable GraphML file: ") == 0 ||
           said == "net.graphml has no hosts: give at least one"));
  }
  CHECK(refusal(replaced(kGraphml, "target=\"x\"", "target=\"q\""), "net.xml") ==
        "net.xml: node 'n3' has no kind: write kind=host or kind=switch");
  CHECK(refusal(replaced(kGraphml, "1e9", "much"), "net.xml").find("GraphML") != std::string::npos);
}

TEST_CASE("rejects nesting that would exhaust the stack") {
  std::string braces = "graph {", tags;
  for (int i = 0; i < 100'000; ++i) braces += "{", tags += "<a>";
  CHECK(refusal(braces).find("levels deep") != std::string::npos);
  CHECK(refusal(tags, "net.xml").find("levels deep") != std::string::npos);
}

TEST_CASE("every file of the corpus is a topology or a usage error") {
  int files = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ARLAB_CORPUS)) {
    INFO(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try {
      const Topology t = parse_topology(text, entry.path().filename());
      CHECK(entry.path().filename().string().find("good") == 0);
      CHECK(t.hosts() > 0);
    } catch (const Error& error) {
      CHECK(entry.path().filename().string().find("good") != 0);
      CHECK(error.blame() == Blame::usage);
      ++refused;
    }
    ++files;
  }
  CHECK(files >= 20);
  CHECK(refused < files);
}
