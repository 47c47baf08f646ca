#include "bench/options/topology_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/options/options.hpp"
#include "bench/text/read_file.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "simulator/topologies/import/file.hpp"

namespace arlab::bench {
namespace {

std::string network_file(std::string_view path) {
  return read_file(std::string(path),
                   "name a file of a network, or one of `arlab list topologies`");
}

// A name that is no placement and that a file in this folder has is that file.
bool is_placement_file(const std::string& name) {
  if (name.find_first_of("./") != std::string::npos) return true;
  std::error_code ignored;
  return !std::any_of(std::begin(simulator::kPlacements), std::end(simulator::kPlacements),
                      [&](simulator::Placement one) { return simulator::name(one) == name; }) &&
         std::filesystem::is_regular_file(name, ignored);
}

std::string placement_file(const std::string& path) {
  return read_file(path, "name a file with one host per line, or use block, cyclic or random");
}

}  // namespace

void TopologyOptions::add(CLI::App& command, const std::string& group) {
  command
      .add_option("--routing", routing,
                  "automatic (default), shortest, ecmp (ecmp:flows=4: flows per message), spray, "
                  "dimension, d_mod_k, minimal or valiant")
      ->type_name("NAME")
      ->group(group);
  as_list(command.add_option("--fault", faults,
                             "Broken links: dead=h0-edge0, or slow=h0-edge0:4 (a quarter of the "
                             "bandwidth); h0--edge0 is both directions"))
      ->type_name("FAULTS")
      ->group(group);
  add_seed(command, seed, group);
}

simulator::RoutingSpec TopologyOptions::parsed_routing() const {
  return simulator::parse_routing(routing);
}

simulator::Topology TopologyOptions::open(Rank ranks) const {
  const std::string_view file = simulator::topology_file(topology);
  if (file.empty()) simulator::refuse_other_files(topology);
  simulator::Topology whole = file.empty()
                                  ? simulator::make_topology(topology, ranks)
                                  : read_network(network_file(file), topology);
  if (faults.empty()) return whole;
  std::vector<simulator::LinkFault> broken;
  for (const std::string& fault : faults) broken.push_back(simulator::parse_fault(fault));
  return simulator::with_faults(whole, broken);
}

std::vector<Rank> TopologyOptions::hosts_of(const simulator::Topology& made, Rank ranks) const {
  return is_placement_file(placement)
             ? simulator::read_placement(placement_file(placement), made, ranks)
             : simulator::place(made, simulator::find_placement(placement), ranks, seed);
}

std::shared_ptr<const simulator::Fabric> TopologyOptions::fabric(Rank ranks) const {
  simulator::Topology made = open(ranks);
  std::vector<Rank> host_of = hosts_of(made, ranks);
  const auto [way, flows] = parsed_routing();
  return std::make_shared<const simulator::Fabric>(
      simulator::Fabric{std::move(made), way, seed, std::move(host_of), flows});
}

std::string TopologyOptions::text(const simulator::Topology& made) const {
  std::string text = made.spec();
  if (routing != "automatic") text += " routing " + routing;
  if (placement != "block") text += " placement " + placement;
  if (seed != 0) text += fmt::format(" seed {}", seed);
  return text;
}

std::vector<std::string> split_specs(const std::vector<std::string>& lists) {
  std::vector<std::string> all;
  for (const std::string& list : lists)
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      const std::string part = list.substr(begin, end - begin);
      const bool parameter = part.find('=') < part.find(':');
      if (parameter && begin > 0)
        all.back() += "," + part;
      else
        all.push_back(part);
      begin = end + 1;
    }
  return all;
}

}  // namespace arlab::bench
