#include "simulator/topologies/import/parsed_graph.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::simulator {

ParsedGraph parse_graph(std::string_view text, const std::string& name, TopologyFormat format) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (text.size() > kMostBytes)
    fail(Blame::usage, name + " has over 64 MiB: give a smaller topology");
  const bool dot = format == TopologyFormat::dot;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail(Blame::usage, concat(name, " is not a readable ", dot ? "DOT" : "GraphML",
                              " file: it is UTF-16, save it as UTF-8"));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  return dot ? parse_dot(text, name) : parse_graphml(text, name);
}

}  // namespace arlab::simulator
