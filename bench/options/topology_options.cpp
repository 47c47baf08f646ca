#include "bench/options/topology_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/formats/topologies/network_file.hpp"
#include "bench/text/comma_list.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/units.hpp"
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

constexpr std::array<std::string_view, 5> kHostSettingNames{"placement", "routing", "seed", "dead",
                                                            "slow"};

// Where the settings of a text begin; npos if it has none. "file:a.dot" is a name.
std::size_t colon_before_settings(std::string_view text) {
  return text.find(':',
                   text.starts_with(simulator::kFilePrefix) ? simulator::kFilePrefix.size() : 0);
}

void set_host_setting(TopologyOptions& options, std::string_view name, const std::string& value,
                      const std::string& text) {
  if (value.empty())
    fail(Blame::usage, fmt::format("network '{}' has an empty {}: give it a value", text, name));
  if (name == "placement") {
    options.placement = value;
  } else if (name == "routing") {
    options.routing = value;
  } else if (name == "seed") {
    options.seed = parse_seed(value, "seed");
  } else {
    options.faults.push_back(fmt::format("{}={}", name, value));
  }
}

}  // namespace

bool is_host_setting(std::string_view name) {
  return std::ranges::find(kHostSettingNames, name) != kHostSettingNames.end();
}

TopologyOptions topology_options(const std::string& text, TopologyOptions usual) {
  TopologyOptions options = std::move(usual);
  const std::size_t colon = colon_before_settings(text);
  std::string others;  // settings of the topology
  std::vector<std::string_view> set;
  std::string_view rest =
      colon == text.npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = trimmed(part.substr(0, equals));
    if (!is_host_setting(name) || equals == part.size()) {
      others += (others.empty() ? "" : ",") + std::string(part);
      continue;
    }
    const bool is_once = name != "dead" && name != "slow";
    if (is_once && std::ranges::find(set, name) != set.end())
      fail(Blame::usage, fmt::format("network '{}' sets {} twice: give it once", text, name));
    set.push_back(name);
    set_host_setting(options, name, std::string(trimmed(part.substr(equals + 1))), text);
  }
  if (set.empty())
    options.topology = text;
  else if (colon > 0)
    options.topology = text.substr(0, colon) + (others.empty() ? "" : ":" + others);
  return options;
}

std::string with_host_setting(const std::string& text, const std::string& setting) {
  const std::size_t colon = colon_before_settings(text);
  if (colon == text.npos) return text + ":" + setting;
  return text.substr(0, colon + 1) + setting + "," + text.substr(colon + 1);
}

bool TopologyOptions::draws() const {
  constexpr std::array<std::string_view, 3> kRandom{"automatic", "ecmp", "valiant"};
  return placement == "random" || routing.starts_with("ecmp:") ||
         std::ranges::find(kRandom, routing) != kRandom.end();
}

simulator::RoutingSpec TopologyOptions::parsed_routing() const {
  return simulator::parse_routing(routing);
}

simulator::Topology TopologyOptions::open(Rank ranks) const {
  const std::string_view file = simulator::topology_file(topology);
  if (file.empty()) simulator::refuse_other_files(topology);
  simulator::Topology whole = file.empty() ? simulator::make_topology(topology, ranks)
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
  for (const std::string& list : lists) {
    bool is_first = true;  // a parameter belongs to the part before it in the same list
    for (const std::string& part : parts_of_list(list)) {
      const bool parameter = part.find('=') < part.find(':');
      if (parameter && !is_first)
        all.back() += "," + part;
      else
        all.push_back(part);
      is_first = false;
    }
  }
  return all;
}

}  // namespace arlab::bench
