// GraphML and DOT files: valid files, and clear errors for malformed ones.
#include "simulator/topologies/import/file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"

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
  <key id="k2" for="edge" attr.name="bandwidth" attr.type="string"/>
  <key id="k3" for="edge" attr.name="latency" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="x"><data key="k0">switch</data><data key="k1">top</data></node>
    <node id="y"><data key="k0">host</data><data key="k1">a</data></node>
    <node id="z"><data key="k0">host</data></node>
    <edge source="y" target="x"><data key="k2">1GB/s</data><data key="k3">1us</data></edge>
    <edge source="x" target="y"><data key="k2">2GB/s</data><data key="k3">2us</data></edge>
    <edge source="z" target="x"><data key="k2">3GB/s</data><data key="k3">1us</data></edge>
    <edge source="x" target="z"><data key="k2">4GB/s</data><data key="k3">0</data></edge>
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
      "digraph { node [kind=host]; edge [bandwidth=\"1GB/s\", latency=\"1us\"]; a -> b -> c -> a }",
      "r.gv");
  CHECK(t.links().size() == 3);
  CHECK(t.hosts_forward());
  Router router(t);
  CHECK(names(t, router.route(0, 2)) == "a-b b-c");
  CHECK(t.link(0).bandwidth == 1e9);
  CHECK(t.link(0).latency == kMicrosecond);
}

TEST_CASE("GraphML: ids are the names of nodes, whatever other attributes say") {
  const Topology t = parse_topology(kGraphml, "net.graphml");
  CHECK(t.hosts() == 2);
  CHECK(t.node(0).name == "y");
  CHECK(t.node(1).name == "z");
  Router router(t);
  const auto route = router.route(0, 1);
  CHECK(names(t, route) == "y-x x-z");
  CHECK(t.link(route[0]).bandwidth == 1e9);
  CHECK(t.link(route[1]).bandwidth == 4e9);
  CHECK(router.latency(route) == kMicrosecond);
  const Topology cables = parse_topology(
      replaced(replaced(kGraphml, "edgedefault=\"directed\"", "edgedefault=\"undirected\""),
               "<edge source=\"x\" target=\"y\">", "<edge source=\"y\" target=\"x\">"),
      "net.xml");
  CHECK(cables.links().size() == 8);
}

TEST_CASE("DOT: a node attribute 'name' does not rename the node") {
  const Topology t = parse_topology(replaced(kDot, "a; b;", "a [name=b]; b [name=a];"), "net.dot");
  CHECK(t.node(0).name == "a");
  CHECK(t.node(1).name == "b");
}

TEST_CASE("DOT and GraphML: hosts are ranks in the order of their first appearance") {
  std::string
      dot = "graph { edge [bandwidth=\"1Gbps\", latency=0]; node [kind=host];",
      xml =
          "<graphml><key id='kind' for='node'/><key id='bandwidth' for='edge'/><key id='latency' "
          "for='edge'/><graph edgedefault='undirected'>";
  const std::vector<std::string> order{"h10", "h2", "h0", "h1", "zebra", "a"};
  for (const std::string& host : order) {
    dot += " " + host + " -- sw;";
    xml += "<node id='" + host + "'><data key='kind'>host</data></node>";
  }
  dot.insert(dot.find("node ["), "sw [kind=switch]; ");
  xml += "<node id='sw'><data key='kind'>switch</data></node>";
  for (const std::string& host : order)
    xml += "<edge source='" + host +
           "' target='sw'><data key='bandwidth'>1Gbps</data><data "
           "key='latency'>0</data></edge>";
  for (const Topology& t : {parse_topology(dot + "}", "n.dot"),
                            parse_topology(xml + "</graph></graphml>", "n.graphml")}) {
    REQUIRE(t.hosts() == 6);
    for (Rank h = 0; h < 6; ++h) CHECK(t.node(h).name == order[static_cast<std::size_t>(h)]);
  }
}

TEST_CASE("DOT: a strict graph has one edge between two nodes, and equal keys name one edge") {
  const auto links = [](const std::string& text) {
    return parse_topology(text, "n.dot").links().size();
  };
  const std::string body = " { node [kind=host]; edge [bandwidth=\"1Gbps\", latency=0]; ";
  CHECK(links("strict graph" + body + "a -- b; b -- a; a -- b }") == 2);
  CHECK(links("graph" + body + "a -- b; b -- a; a -- b }") == 6);
  CHECK(links("strict digraph" + body + "a -> b; b -> a; a -> b }") == 2);
  CHECK(links("graph" + body + "a -- b [key=0]; a -- b [key=1]; b -- a [key=0] }") == 4);
  const Topology later =
      parse_topology("strict graph" + body + "a -- b; b -- a [latency=\"3us\"] }", "n.dot");
  CHECK(later.link(0).latency == 3 * kMicrosecond);
}

TEST_CASE("DOT: subgraphs with and without names are ends of edges, with their own defaults") {
  const std::string head =
      "graph { node [kind=host]; edge [bandwidth=\"1Gbps\", latency=0]; sw [kind=switch]; ";
  for (const char* body :
       {"sw -- { h1 h2 h3 }", "sw -- { h1; h2; h3 }", "{ h1 h2 h3 } -- sw",
        "subgraph x { h1; h2 } h3 -- sw -- { h1 h2 }", "{ h1 -- sw } sw -- { h2 { h3 } }"}) {
    INFO(body);
    const Topology t = parse_topology(head + body + " }", "n.dot");
    CHECK(t.hosts() == 3);
    CHECK(t.links().size() == 6);
  }
  const Topology t = parse_topology(
      head + "subgraph { edge [bandwidth=\"2GB/s\"]; h1 -- sw } h2 -- sw }", "n.dot");
  CHECK(t.link(0).bandwidth == 2e9);
  CHECK(t.link(2).bandwidth == 1e9 / 8);
}

TEST_CASE("DOT: texts in HTML, in UTF-8, in parts, and after a byte order mark") {
  const Topology t = parse_topology(
      "\xef\xbb\xbfGRAPH n {\n# a comment\n node [kind=host, label=<<i>x</i>>];"
      "edge [bandwidth=\"1\" + \"Gbps\", latency=.0];\n"
      "h\xc3\xb6st -- \"a\\\nb\" -- -1.5 }",
      "n.dot");
  CHECK(t.hosts() == 3);
  CHECK(t.node(0).name == "h\xc3\xb6st");
  CHECK(t.node(1).name == "ab");
  CHECK(t.node(2).name == "-1.5");
  CHECK(t.link(0).bandwidth == 1e9 / 8);
}

TEST_CASE("GraphML: edges with a direction of their own, prefixes, keys without types") {
  std::string text =
      "\xef\xbb\xbf<g:graphml xmlns:g='http://graphml.graphdrawing.org/xmlns'>"
      "<g:key id='k' for='node' attr.name='kind'><g:default>host</g:default></g:key>"
      "<g:key id='b' for='edge' attr.name='bandwidth'><g:default>1Gbps</g:default></g:key>"
      "<g:key id='l' for='edge' attr.name='latency'><g:default>1us</g:default></g:key>"
      "<g:graph edgedefault='undirected'><g:node id='a'/><g:node id='b'/><g:node id='c'/>"
      "<g:edge source='a' target='b' directed='true'/><g:edge source='b' target='c'/>"
      "<g:edge source='c' target='a'><g:data key='b'>10Gbps</g:data></g:edge>"
      "</g:graph></g:graphml>";
  const Topology t = parse_topology(text, "n.graphml");
  CHECK(t.links().size() == 5);
  Router router(t);
  CHECK(names(t, router.route(0, 1)) == "a-b");
  CHECK(names(t, router.route(1, 0)) == "b-c c-a");
  CHECK(t.link(4).bandwidth == 1e10 / 8);
}

TEST_CASE("numbers without a unit are refused, unless the spec gives the unit") {
  const std::string text = "graph { node [kind=host]; edge [bandwidth=100, latency=1]; a -- b }";
  CHECK(
      refusal(text) ==
      "net.dot: link 'a-b': bandwidth '100' has no unit: write for example 100Gbps, or the unit of "
      "such numbers after the file's name, as in NAME:bandwidth_unit=Gbps");
  CHECK(refusal(text, "net.dot:bandwidth_unit=Gbps").find("latency '1' has no unit") !=
        std::string::npos);
  const Topology t = parse_topology(text, "net.dot:bandwidth_unit=Gbps,latency_unit=us");
  CHECK(t.link(0).bandwidth == 12.5e9);
  CHECK(t.link(0).latency == kMicrosecond);
  CHECK(t.spec() == "net.dot:bandwidth_unit=Gbps,latency_unit=us");
  CHECK(refusal(text, "net.dot:bandwidth_unit=furlongs").find("furlongs") != std::string::npos);
}

TEST_CASE("a network of the Topology Zoo: speeds of its own, other values from the spec") {
  const std::string zoo =
      "<graphml><key attr.name='label' attr.type='string' for='node' id='d1'/>"
      "<key attr.name='LinkSpeedRaw' attr.type='double' for='edge' id='d2'/>"
      "<key attr.name='LinkSpeed' attr.type='string' for='edge' id='d3'/>"
      "<key attr.name='LinkSpeedUnits' attr.type='string' for='edge' id='d4'/>"
      "<graph edgedefault='undirected'><node id='0'><data key='d1'>Oslo</data></node>"
      "<node id='1'/><node id='2'/><edge source='0' target='1'><data key='d2'>10000000000.0</data>"
      "<data key='d3'>10</data></edge><edge source='1' target='2'><data key='d3'>2.5</data>"
      "<data key='d4'>G</data></edge><edge source='2' target='0'/></graph></graphml>";
  CHECK(refusal(zoo, "zoo.graphml").find("node '0' has no kind") != std::string::npos);
  CHECK(refusal(zoo, "zoo.graphml:kind=host").find("link '0-1' has no latency") !=
        std::string::npos);
  CHECK(refusal(zoo, "zoo.graphml:kind=host,latency=1ms").find("link '2-0' has no bandwidth") !=
        std::string::npos);
  CHECK(refusal(zoo, "zoo.graphml:speed=1").find("speed") != std::string::npos);
  const Topology t = parse_topology(zoo, "zoo.graphml:kind=host,latency=1ms,bandwidth=1Gbps");
  CHECK(t.link(0).bandwidth == 1.25e9);
  CHECK(t.link(2).bandwidth == 2.5e9 / 8);
  CHECK(t.link(4).bandwidth == 1e9 / 8);
  CHECK(t.link(4).latency == 1000 * kMicrosecond);
  CHECK(t.hosts_forward());
}

TEST_CASE("hosts forward where others could not be reached, or as the file says") {
  const std::string head =
      "graph { node [kind=host]; edge [bandwidth=\"1Gbps\", latency=0]; nic [kind=switch]; ";
  // GPUs 0 to 3 in a ring, of which two have a way to the switch.
  const Topology all = parse_topology(head + "0 -- 1 -- 2 -- 3 -- 0; 0 -- nic -- 2; }", "n.dot");
  CHECK(all.hosts_forward());
  Router router(all);
  CHECK(router.route(0, 2).size() == 2);
  const Topology some = parse_topology(
      head + "0 [forwards=yes]; 0 -- 1; 0 -- 2; 1 -- nic; 2 -- nic; 0 -- nic }", "n.dot");
  CHECK_FALSE(some.hosts_forward());
  CHECK(some.forwards(0));
  CHECK_FALSE(some.forwards(1));
  const std::string none = head + "0 [forwards=no]; 0 -- 1 -- 2 -- 3 -- 0; 0 -- nic -- 2; }";
  CHECK(refusal(none).find("is not connected") != std::string::npos);
}

TEST_CASE("'kind', 'group', 'name', and 'tier' describe nodes of GPUs") {
  const Topology pod = parse_topology(
      "graph { edge [latency=0, bandwidth=\"400Gbps\", tier=nic]; rail [kind=switch]; "
      "subgraph { node [kind=host, group=0]; g0; g1 } "
      "subgraph { node [kind=host, group=1]; g2; g3 } "
      "g0 -- g1 [tier=nvlink, bandwidth=\"450GB/s\", name=nv0]; { g0 g2 } -- rail; "
      "g2 -- g3 [tier=nvlink, bandwidth=\"450GB/s\", name=nv1] }",
      "pod.dot");
  CHECK(pod.groups() == 2);
  CHECK(pod.group_of(3) == 1);
  CHECK(pod.tiers() == std::vector<std::string>{"nvlink", "nic"});
  for (const Link& link : pod.links()) {
    const bool is_nvlink = link.name.starts_with("nv");
    CHECK(pod.tiers()[index(link.tier)] == (is_nvlink ? "nvlink" : "nic"));
    CHECK(link.bandwidth == (is_nvlink ? 450e9 : 50e9));
  }
}

TEST_CASE("files are recognized by their extension") {
  for (const char* file : {"a.dot", "b/c.gv", "x.graphml", "x.xml", "n.yml", "n.yaml", "n.txt"})
    CHECK(is_topology_file(file));
  for (const char* spec : {"torus", "fat_tree:k=8", "dot", "x.dots", "a.xml.md"})
    CHECK_FALSE(is_topology_file(spec));
  CHECK(topology_file("a:b.xml/n.graphml:kind=host") == "a:b.xml/n.graphml");
  CHECK(topology_file("file:a/b") == "a/b");
  CHECK(topology_file("file:topo.d/n1:latency=1us,nvlink=25GB/s") == "topo.d/n1");
  CHECK(topology_file("file:n.xml:latency=1us") == "n.xml");
  for (const std::string file : {"a/b", "cluster.json"})
    CHECK(error_text(Blame::usage, [&] { refuse_other_files(file); }) ==
          "'" + file + "' looks like a file, but no ending says so: write file:" + file);
  CHECK(error_text(Blame::usage, [] { refuse_other_files("fat_tree:bandwidth=12.5GB/s"); }) ==
        "no error");
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
        "net.dot: link 'a-top' has no bandwidth: add bandwidth=100Gbps, there or after the file's "
        "name, as in "
        "NAME:bandwidth=100Gbps");
  CHECK(refusal(replaced(kDot, ", latency=\"1us\"", "")) ==
        "net.dot: link 'a-top' has no latency: add latency=1us, there or after the file's name, as "
        "in "
        "NAME:latency=1us");
}

TEST_CASE("GraphML: errors for impossible bandwidths name the link and the value") {
  for (const char* type : {"double", "float", "string"})
    for (const char* value :
         {"0", "-5", "nan", "inf", "1e300", "0.25", "much", "-5Gbps", "0Gbps"}) {
      const std::string text = refusal(
          replaced(replaced(kGraphml, "attr.name=\"bandwidth\" attr.type=\"string\"",
                            "attr.name=\"bandwidth\" attr.type=\"" + std::string(type) + "\""),
                   "1GB/s", value),
          "net.xml");
      INFO(type << " " << value << ": " << text);
      CHECK(text.find("net.xml: link 'y-x': bandwidth '" + std::string(value) + "'") == 0);
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
        "net.dot: node 'a' has no kind: write kind=host or kind=switch, there or after the file's "
        "name, as in NAME:kind=host");
  CHECK(refusal(replaced(kDot, ", group=left", "")) ==
        "net.dot: some hosts have a group and some have none: give all of them one");
  CHECK(refusal(replaced(kDot, "b -- top", "b -- top [name=narrow]")) ==
        "two links are called 'narrow': give each its own name");
  CHECK(refusal(replaced(kGraphml, "<node id=\"z\">", "<node id=\"y\">"), "net.xml") ==
        "net.xml is not a readable GraphML file: two nodes have the id 'y': give each its own");
  CHECK(refusal(replaced(kDot, "a -- top", "a -- top; a -- a")) ==
        "link 'a-a' joins 'a' with itself: remove it");
  CHECK(refusal("graph { s [kind=switch] }") == "net.dot has no hosts: give at least one");
}

TEST_CASE("the error for a disconnected file names the hosts that cannot reach each other") {
  CHECK(refusal(replaced(kDot, "c -- top", "c -- d")) ==
        "net.dot is not connected: c, d cannot reach a");
  CHECK(refusal("digraph { node [kind=host]; edge [bandwidth=\"1GB/s\", latency=0]; a -> b }") ==
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
        "net.xml is not a readable GraphML file: an edge has the target 'q', which is not a node: "
        "add "
        "the node");
  CHECK(refusal("<network version=\"4\"/>", "net.xml") ==
        "net.xml is not a readable GraphML file: its first element is <network>, so it is another "
        "kind of XML: convert it to GraphML or DOT");
}

TEST_CASE("rejects nesting that would exhaust the stack") {
  std::string braces = "graph {", tags;
  for (int i = 0; i < 100'000; ++i) braces += "{", tags += "<a>";
  CHECK(refusal(braces).find("levels deep") != std::string::npos);
  CHECK(refusal(tags, "net.xml").find("levels deep") != std::string::npos);
}

TEST_CASE("every file of the corpus is a topology or a usage error") {
  int files = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           source_file("tests/simulator/topologies/import/corpus"))) {
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
