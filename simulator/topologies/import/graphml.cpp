// GraphML: http://graphml.graphdrawing.org. Read with the XML parser of Boost.PropertyTree, which
// keeps the order of elements. Prefixes of name spaces are dropped; elements of other name spaces
// are ignored, as the standard says.
#include <algorithm>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>
#include <unordered_map>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::simulator {
namespace {

using XmlTree = boost::property_tree::ptree;

// Returns the position after the markup that begins at `at`: a tag, whose quotes may hold '>', a
// comment, CDATA, an instruction, or a document type, whose brackets may hold anything.
std::size_t markup_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const auto after = [&](std::string_view end) {
    const std::size_t found = rest.find(end);
    return found == rest.npos ? text.size() : at + found + end.size();
  };
  if (rest.starts_with("<!--")) return after("-->");
  if (rest.starts_with("<![CDATA[")) return after("]]>");
  if (rest.starts_with("<?")) return after("?>");
  const bool type = rest.starts_with("<!");
  char quote = 0;
  int brackets = 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    const char c = rest[i];
    if (type) brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (!type && (quote ? c == quote : c == '"' || c == '\'')) quote = quote ? 0 : c;
    if (c == '>' && !quote && brackets <= 0) return at + i + 1;
  }
  return text.size();
}

// The XML parser recurses to the nesting depth of the file.
void check_depth(std::string_view text, const std::string& name) {
  int depth = 0, deepest = 0;
  for (std::size_t i = text.find('<'); i < text.size();) {
    const std::size_t end = markup_end(text, i);
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == '/')
      depth = std::max(0, depth - 1);
    else if (next != '?' && next != '!' && !(end - i > 2 && text[end - 2] == '/'))
      deepest = std::max(deepest, ++depth);
    i = text.find('<', end);
  }
  if (deepest > kMostNested)
    fail(Blame::usage,
         concat(name, " nests ", deepest, " levels deep: nest at most ", kMostNested));
}

std::string_view local(std::string_view name) { return name.substr(name.find(':') + 1); }

class GraphmlParser {
 public:
  explicit GraphmlParser(const std::string& name) : name_(name) {}

  ParsedGraph parse(std::string_view text) {
    XmlTree file;
    std::istringstream in{std::string(text)};
    try {
      boost::property_tree::read_xml(in, file, boost::property_tree::xml_parser::no_comments);
    } catch (const boost::property_tree::xml_parser_error& e) {
      refuse(concat("line ", e.line(), ": ", e.message()));
    }
    const auto root = std::find_if(file.begin(), file.end(),
                                   [](const auto& child) { return child.first[0] != '<'; });
    if (root == file.end()) refuse("it has no element <graphml>");
    if (local(root->first) != "graphml") refuse_other(root->first);
    for_each(root->second, "key", [&](const XmlTree& key) { add_key(key); });
    int graphs = 0;
    for_each(root->second, "graph", [&](const XmlTree& graph) {
      if (++graphs > 1) refuse("it has several graphs: give one per file");
      add_graph(graph);
    });
    if (graphs == 0) refuse("it has no element <graph>");
    return std::move(graph_);
  }

 private:
  struct Key {
    std::string name;
    bool for_nodes = true, for_edges = true;
    const std::string* usual = nullptr;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    fail(Blame::usage, concat(name_, " is not a readable GraphML file: ", what));
  }

  [[noreturn]] void refuse_other(const std::string& element) const {
    refuse(concat("its first element is <", element.substr(0, 40),
                  ">, so it is another kind of XML: convert it to GraphML or DOT"));
  }

  template <class Use>
  static void for_each(const XmlTree& parent, std::string_view name, Use use) {
    for (const auto& [child, tree] : parent)
      if (local(child) == name) use(tree);
  }

  static const std::string* attribute(const XmlTree& element, const char* name) {
    const auto all = element.get_child_optional("<xmlattr>");
    if (!all) return nullptr;
    const auto found = all->find(name);
    return found == all->not_found() ? nullptr : &found->second.data();
  }
  const std::string& required(const XmlTree& element, const char* what, const char* name) const {
    const std::string* const found = attribute(element, name);
    if (!found) refuse(concat("a <", what, "> has no attribute '", name, "': add it"));
    return *found;
  }

  // A key without attr.name has its id as name, one without `for` is for all.
  void add_key(const XmlTree& element) {
    const std::string& id = required(element, "key", "id");
    Key key{id};
    if (const std::string* name = attribute(element, "attr.name")) key.name = *name;
    if (const std::string* of = attribute(element, "for")) {
      key.for_nodes = *of == "node" || *of == "all";
      key.for_edges = *of == "edge" || *of == "all";
    }
    for_each(element, "default", [&](const XmlTree& usual) { key.usual = &usual.data(); });
    if (!keys_.emplace(id, key).second)
      refuse(concat("two keys have the id '", id, "': give each its own"));
  }

  void add_graph(const XmlTree& graph) {
    const std::string* const usual = attribute(graph, "edgedefault");
    const bool directed = usual && *usual == "directed";
    if (usual && !directed && *usual != "undirected")
      refuse(concat("edgedefault is '", *usual, "': write directed or undirected"));
    for_each(graph, "hyperedge", [&](const XmlTree&) {
      refuse("it has a hyperedge: write a switch with an edge to each of its nodes");
    });
    for_each(graph, "node", [&](const XmlTree& node) { add_node(node); });
    for_each(graph, "edge", [&](const XmlTree& edge) { add_edge(edge, directed); });
  }

  void add_node(const XmlTree& node) {
    const std::string& id = required(node, "node", "id");
    for_each(node, "graph", [&](const XmlTree&) {
      refuse(concat("node '", id, "' holds a graph: write its nodes beside the others"));
    });
    if (!number_.emplace(id, graph_.nodes.size()).second)
      refuse(concat("two nodes have the id '", id, "': give each its own"));
    graph_.nodes.push_back({id, attributes(node, &Key::for_nodes)});
  }

  void add_edge(const XmlTree& edge, bool directed) {
    if (const std::string* own = attribute(edge, "directed")) {
      if (*own != "true" && *own != "false")
        refuse(concat("an edge has directed='", *own, "': write true or false"));
      directed = *own == "true";
    }
    const auto end = [&](const char* which) {
      const std::string& id = required(edge, "edge", which);
      const auto found = number_.find(id);
      if (found == number_.end())
        refuse(concat("an edge has the ", which, " '", id, "', which is not a node: add the node"));
      return found->second;
    };
    const std::size_t from = end("source"), to = end("target");
    graph_.edges.push_back({from, to, directed, attributes(edge, &Key::for_edges)});
  }

  Attributes attributes(const XmlTree& element, bool Key::*is_for) const {
    Attributes all;
    for (const auto& [id, key] : keys_)
      if (key.usual && key.*is_for) all.values[key.name] = *key.usual;
    for_each(element, "data", [&](const XmlTree& data) {
      const std::string& id = required(data, "data", "key");
      const auto key = keys_.find(id);
      if (key == keys_.end())
        refuse(concat("a <data> has the key '", id, "', which is not declared"));
      all.values[key->second.name] = trimmed(data.data());
    });
    return all;
  }

  static std::string trimmed(const std::string& text) {
    constexpr const char* kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  }

  const std::string& name_;
  std::map<std::string, Key, std::less<>> keys_;
  std::unordered_map<std::string, std::size_t> number_;  // of nodes
  ParsedGraph graph_;
};

}  // namespace

ParsedGraph parse_graphml(std::string_view text, const std::string& name) {
  check_depth(text, name);
  return GraphmlParser(name).parse(text);
}

}  // namespace arlab::simulator
