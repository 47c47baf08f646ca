#include "bench/models.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/units.hpp"
#ifdef ARLAB_HAS_TOPOLOGIES
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/kind.hpp"
#include "simulator/topologies/placement.hpp"
#endif

namespace arlab {

void ModelOptions::add(CLI::App& verb) {
  std::string names;
  for (const Model& m : models()) names += (names.empty() ? "" : " or ") + std::string(m.name);
  verb.add_option("--model", model,
                  names + " (default " + model + "); `arlab list models` explains them");
  verb.add_option(
      "--topology", topology,
      "Network of --model fluid: fat_tree:k=8, torus:dims=4x4x4, ... (default crossbar)");
  verb.add_option("--routing", routing,
                  "How messages go: automatic (default), shortest, ecmp, dimension, d_mod_k, ...");
  verb.add_option("--placement", placement,
                  "Which host a rank runs on: block (default), cyclic or random");
  verb.add_option("--seed", seed, "Of everything random: ecmp, placement (default 0)");
  std::map<std::string, std::string> help;
  for (const Model& m : models())
    for (const Parameter& p : m.parameters) {
      std::string& text = help[std::string(p.name)];
      if (text.find(p.help) == std::string::npos)
        text += (text.empty() ? "" : "; ") + std::string(p.help);
    }
  for (const auto& [name, text] : help)
    verb.add_option("--" + name, given[name], text)->group("Model parameters");
}

#ifdef ARLAB_HAS_TOPOLOGIES

namespace {

// A network and what it refers to.
struct Standing {
  Standing(const ModelOptions& options, Rank ranks)
      : topology(make_topology(options.topology.empty() ? "crossbar" : options.topology, ranks)),
        fabric{topology, find_routing(options.routing), options.seed,
               place(topology, find_placement(options.placement), ranks, options.seed)},
        network(make_network(options.parsed_model(), options.values(), ranks, &fabric)) {}
  Topology topology;
  Fabric fabric;
  std::unique_ptr<Network> network;
};

}  // namespace

std::shared_ptr<Network> ModelOptions::network(Rank ranks) const {
  if (!has_topology()) {
    if (!topology.empty())
      fail(Blame::usage,
           fmt::format("model {} knows no topology: leave out --topology, or use --model fluid",
                       model));
    return make_network(parsed_model(), values(), ranks);
  }
  const auto standing = std::make_shared<Standing>(*this, ranks);
  return {standing, standing->network.get()};
}

std::string ModelOptions::topology_spec(Rank ranks) const {
  if (!has_topology()) return "crossbar";
  std::string text = make_topology(topology.empty() ? "crossbar" : topology, ranks).spec();
  if (routing != "automatic") text += " routing " + routing;
  if (placement != "block") text += " placement " + placement;
  return text;
}

#else

std::shared_ptr<Network> ModelOptions::network(Rank ranks) const {
  return make_network(parsed_model(), values(), ranks);
}

std::string ModelOptions::topology_spec(Rank) const { return "crossbar"; }

#endif

const Model& ModelOptions::parsed_model() const { return find_model(model); }

Values ModelOptions::values() const {
  const Model& chosen = parsed_model();
  Values values;
  for (const auto& [name, text] : given) {
    if (text.empty()) continue;
    const auto found = std::find_if(chosen.parameters.begin(), chosen.parameters.end(),
                                    [&name = name](const Parameter& p) { return p.name == name; });
    if (found == chosen.parameters.end())
      fail(Blame::usage,
           fmt::format("model {} has no parameter {}: leave out --{}, or choose another --model",
                       chosen.name, name, name));
    values[name] = found->unit == Parameter::Unit::bytes
                       ? static_cast<double>(parse_count(text, "--" + name))
                       : parse_time(text, "--" + name);
  }
  return complete(chosen, values);
}

std::string ModelOptions::machine() const {
  const Values all = values();
  std::string text;
  for (const Parameter& p : parsed_model().parameters) {
    const double value = all.at(std::string(p.name));
    text += fmt::format(
        "{}{}={}", text.empty() ? "" : ",", p.name,
        p.unit == Parameter::Unit::bytes ? fmt::format("{:.0f}", value) : show_picoseconds(value));
  }
  return text;
}

}  // namespace arlab
