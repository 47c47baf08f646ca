#include "bench/models.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/options.hpp"
#include "bench/units.hpp"
#ifdef ARLAB_HAS_TOPOLOGIES
#include "simulator/topologies/kind.hpp"
#endif

namespace arlab {

namespace {

// What the parameter is in each model that has it, such as "loggops: latency of the network".
std::string help_of(const Parameter& wanted) {
  std::string names, help;
  for (const Model& m : models())
    for (const Parameter& p : m.parameters) {
      if (p.name != wanted.name) continue;
      const bool same = help == p.help;
      names += (names.empty() ? "" : same ? ", " : ": " + help + "; ") + std::string(m.name);
      help = p.help;
    }
  return names + ": " + help;
}

}  // namespace

void ModelOptions::add(CLI::App& verb) {
  std::string names;
  for (const Model& m : models()) names += (names.empty() ? "" : " or ") + std::string(m.name);
  verb.add_option("--model", model,
                  names + " (default " + model + "); `arlab list models` explains them")
      ->type_name("NAME");
  const auto fabric_option = [&](const char* name, auto& value, const char* help) {
    verb.add_option(name, value, help)->group("Topology (of --model fluid)");
  };
  fabric_option("--topology", fabric.topology,
                "fat_tree:k=8, torus:dims=4x4x4, ... (default crossbar); `arlab list topologies`");
  fabric_option("--routing", fabric.routing,
                "automatic (default), shortest, ecmp, dimension, d_mod_k, minimal or valiant");
  fabric_option("--placement", fabric.placement,
                "Host of each rank: block (default), cyclic or random");
  add_seed(verb, fabric.seed, "Topology (of --model fluid)");
  for (const Model& m : models())
    for (const Parameter& p : m.parameters) {
      const std::string parameter(p.name);
      if (given.count(parameter) > 0) continue;  // of an earlier model, too
      verb.add_option("--" + parameter, given[parameter], help_of(p))
          ->type_name(p.unit == Parameter::Unit::bytes ? "BYTES" : "TIME")
          ->group("Model parameters");
    }
}

std::unique_ptr<Network> ModelOptions::network(Rank ranks) const {
  return make_network(parsed_model(), values(), ranks, fabric);
}

std::string ModelOptions::topology_spec([[maybe_unused]] Rank ranks) const {
  if (!parsed_model().has_links) return "crossbar";
#ifdef ARLAB_HAS_TOPOLOGIES
  std::string text =
      make_topology(fabric.topology.empty() ? "crossbar" : fabric.topology, ranks).spec();
#else
  std::string text = fabric.topology;
#endif
  if (fabric.routing != "automatic") text += " routing " + fabric.routing;
  if (fabric.placement != "block") text += " placement " + fabric.placement;
  if (fabric.seed != 0) text += fmt::format(" seed {}", fabric.seed);
  return text;
}

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
