// The grammar of DOT: https://graphviz.org/doc/info/lang.html. A node or edge has the defaults that
// hold where it first appears. An edge that a strict graph repeats, or that has the key of another
// one between the same nodes, is the same edge.
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "algorithms/base/text.hpp"
#include "simulator/topologies/import/dot_words.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::simulator {
namespace {

class DotParser {
 public:
  DotParser(std::string_view text, const std::string& name) : words_(text, name), name_(name) {}

  ParsedGraph parse() {
    strict_ = take_keyword("strict");
    directed_ = take_keyword("digraph");
    if (!directed_ && !take_keyword("graph")) words_.expected("'graph' or 'digraph'");
    if (words_.word().is_id()) words_.take();
    Scope whole;
    statements(whole);
    if (words_.word().kind != DotWord::Kind::end)
      words_.expected("the end of the file: give one graph per file");
    return std::move(graph_);
  }

 private:
  using Values = std::map<std::string, std::string, std::less<>>;
  struct Scope {
    Values node, edge;                 // defaults
    std::vector<std::size_t> members;  // of a subgraph, by first appearance
    std::unordered_set<std::size_t> known;
    int depth = 1;
  };

  bool take_keyword(std::string_view word) {
    if (!words_.word().is_keyword(word)) return false;
    words_.take();
    return true;
  }

  // The statements in braces.
  void statements(Scope& scope) {
    if (scope.depth > kMostNested)
      fail(Blame::usage,
           concat(name_, " nests over ", kMostNested, " levels deep: nest at most ", kMostNested));
    if (!words_.take_mark("{")) words_.expected("'{'");
    while (!words_.take_mark("}")) {
      if (words_.take_mark(";")) continue;
      statement(scope);
    }
  }

  void statement(Scope& scope) {
    if (take_keyword("node")) return merge(scope.node, attributes("node"));
    if (take_keyword("edge")) return merge(scope.edge, attributes("edge"));
    if (take_keyword("graph")) return void(attributes("graph"));
    bool is_node = false;
    std::vector<std::vector<std::size_t>> ends{end_of_edge(scope, is_node)};
    if (ends[0].empty() && is_node) return;  // an attribute of the graph
    while (words_.word().is_mark("--") || words_.word().is_mark("->")) {
      if (words_.word().is_mark("->") != directed_)
        words_.expected(directed_ ? "'->', as this graph is directed"
                                  : "'--', as this graph is undirected");
      words_.take();
      bool also = false;
      ends.push_back(end_of_edge(scope, also));
      if (also && ends.back().empty()) words_.expected("';' after an edge");
    }
    const Values given = words_.word().is_mark("[") ? attributes("") : Values{};
    if (ends.size() == 1 && is_node) merge(graph_.nodes[ends[0][0]].attributes.values, given);
    for (std::size_t i = 1; i < ends.size(); ++i)
      for (const std::size_t from : ends[i - 1])
        for (const std::size_t to : ends[i]) add_edge(from, to, scope, given);
  }

  // Nodes of an identifier or a subgraph; none for `ID = ID`.
  std::vector<std::size_t> end_of_edge(Scope& scope, bool& is_node) {
    const bool named = take_keyword("subgraph");
    if (named && words_.word().is_id()) words_.take();
    if (named || words_.word().is_mark("{")) {
      Scope inner{scope.node, scope.edge, {}, {}, scope.depth + 1};
      statements(inner);
      for (const std::size_t node : inner.members) add_member(scope, node);
      return inner.members;
    }
    if (!words_.word().is_id()) words_.expected("a node, a subgraph or '}'");
    for (const char* keyword : {"node", "edge", "graph", "digraph", "strict"})
      if (words_.word().is_keyword(keyword)) words_.expected("a node (put it in quotes to be one)");
    const std::string id = words_.take().text;
    is_node = true;
    if (words_.take_mark("=")) {
      if (!words_.word().is_id()) words_.expected("a value after '='");
      words_.take();
      return {};
    }
    for (int ports = 0; ports < 2 && words_.take_mark(":"); ++ports) {
      if (!words_.word().is_id()) words_.expected("a port after ':'");
      words_.take();
    }
    const auto [found, is_new] = number_.emplace(id, graph_.nodes.size());
    if (is_new) graph_.nodes.push_back({id, {scope.node}});
    add_member(scope, found->second);
    return {found->second};
  }

  static void add_member(Scope& scope, std::size_t node) {
    if (scope.depth == 1) return;  // the members of the whole graph are all nodes
    if (scope.known.insert(node).second) scope.members.push_back(node);
  }

  void add_edge(std::size_t from, std::size_t to, const Scope& scope, const Values& given) {
    const auto key = given.find("key");
    if (strict_ || key != given.end()) {
      const bool turn = !directed_ && from > to;
      const std::tuple same{turn ? to : from, turn ? from : to,
                            strict_ ? std::string() : key->second};
      const auto [found, is_new] = edge_of_.emplace(same, graph_.edges.size());
      if (!is_new) return merge(graph_.edges[found->second].attributes.values, given);
    }
    if (graph_.edges.size() == kMostEdges)
      fail(Blame::usage,
           concat(name_, " has over ", kMostEdges, " edges: give a smaller topology"));
    graph_.edges.push_back({from, to, directed_, {scope.edge}});
    merge(graph_.edges.back().attributes.values, given);
  }

  // [a=b, c=d] [e=f]; a name alone is true.
  Values attributes(std::string_view owner) {
    Values all;
    if (!words_.word().is_mark("[")) words_.expected(concat("'[' after '", owner, "'"));
    while (words_.take_mark("["))
      while (!words_.take_mark("]")) {
        if (words_.take_mark(",") || words_.take_mark(";")) continue;
        if (!words_.word().is_id()) words_.expected("an attribute or ']'");
        std::string& value = all[words_.take().text] = "true";
        if (!words_.take_mark("=")) continue;
        if (!words_.word().is_id()) words_.expected("a value after '='");
        value = words_.take().text;
      }
    return all;
  }

  static void merge(Values& into, const Values& more) {
    for (const auto& [name, value] : more) into[name] = value;
  }

  DotWords words_;
  const std::string& name_;
  bool strict_ = false, directed_ = false;
  ParsedGraph graph_;
  std::unordered_map<std::string, std::size_t> number_;  // of nodes
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> edge_of_;
};

}  // namespace

ParsedGraph parse_dot(std::string_view text, const std::string& name) {
  return DotParser(text, name).parse();
}

}  // namespace arlab::simulator
