#include "simulator/topologies/build/kind.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::simulator {

const TopologyKind& find_topology(std::string_view name) {
  return find_named(topologies(), name, "topology");
}

Topology make_topology(std::string_view spec, Rank hosts_wanted) {
  const NamedSettings parsed = parse_spec(spec);
  const TopologyKind& kind = find_topology(parsed.name);
  Settings settings(kind.name, kind.parameters, parsed.settings);
  if (hosts_wanted > 0) kind.fit(settings, hosts_wanted);
  Topology made = kind.make(settings);
  if (made.hosts() < hosts_wanted)
    fail(Blame::usage, made.spec() + " has " + std::to_string(made.hosts()) +
                           " hosts, but there are " + std::to_string(hosts_wanted) +
                           " ranks: give larger sizes, or leave them out");
  return made;
}

}  // namespace arlab::simulator
