#include "bench/topology_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "algorithms/error.hpp"
#include "bench/options.hpp"
#include "simulator/topologies/faults.hpp"
#include "simulator/topologies/file.hpp"
#include "simulator/topologies/kind.hpp"

namespace arlab {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(Blame::environment, fmt::format("cannot read '{}': does it exist?", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void TopologyOptions::add(CLI::App& verb) {
  verb.add_option("--routing", routing,
                  "automatic (default), shortest, ecmp, dimension, d_mod_k, minimal or valiant");
  verb.add_option("--placement", placement,
                  "block (default), cyclic, random, or a file with a host for each rank");
  verb.add_option("--fault", faults,
                  "A broken link: dead=h0-edge0, or slow=h0-edge0:4 (a quarter of the bandwidth); "
                  "h0--edge0 is both directions; may be given again")
      ->type_name("FAULT")
      ->allow_extra_args(false);
  add_seed(verb, seed);
}

Topology TopologyOptions::open(Rank ranks) const {
  const Topology whole = is_topology_file(topology) ? parse_topology(whole_file(topology), topology)
                                                    : make_topology(topology, ranks);
  std::vector<LinkFault> broken;
  for (const std::string& fault : faults) broken.push_back(parse_fault(fault));
  return with_faults(whole, broken);
}

std::vector<Rank> TopologyOptions::hosts_of(const Topology& made, Rank ranks) const {
  const bool is_file = placement.find_first_of("./") != std::string::npos;
  return is_file ? read_placement(whole_file(placement), made, ranks)
                 : place(made, find_placement(placement), ranks, seed);
}

}  // namespace arlab
