#include "simulator/topologies/build/kind.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"

namespace arlab::simulator {

const TopologyKind& find_topology(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : topologies()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  fail(Blame::usage, "unknown topology '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab list topologies` names all)");
}

Topology make_topology(std::string_view spec, Rank hosts_wanted) {
  const std::size_t colon = spec.find(':');
  const TopologyKind& kind = find_topology(spec.substr(0, colon));
  Settings settings(kind.name, kind.parameters,
                    colon == std::string_view::npos ? "" : spec.substr(colon + 1));
  if (hosts_wanted > 0) kind.fit(settings, hosts_wanted);
  Topology made = kind.make(settings);
  if (made.hosts() < hosts_wanted)
    fail(Blame::usage, made.spec() + " has " + std::to_string(made.hosts()) +
                           " hosts, but there are " + std::to_string(hosts_wanted) +
                           " ranks: give larger sizes, or leave them out");
  return made;
}

}  // namespace arlab::simulator
