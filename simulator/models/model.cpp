#include "simulator/models/model.hpp"

#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

const Model& find_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Model& m : models()) {
    if (m.name == name) return m;
    names.push_back(m.name);
  }
  fail(Blame::usage, "unknown model '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab list models` names all)");
}

Values complete(const Model& model, const Values& values) {
  Values all;
  for (const Parameter& p : model.parameters) {
    const auto given = values.find(p.name);
    const double value = given == values.end() ? p.default_value : given->second;
    if (!std::isfinite(value) || value < 0)
      fail(Blame::usage, "parameter " + std::string(p.name) + " of model " +
                             std::string(model.name) + " is " + std::to_string(value) +
                             ": give a number of 0 or more");
    all.emplace(p.name, value);
  }
  return all;
}

std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      const FabricSpec& spec) {
  std::shared_ptr<const Fabric> fabric;
  if (!model.has_links && !spec.topology.empty())
    fail(Blame::usage, "model " + std::string(model.name) +
                           " has no links: leave out the topology or choose a model with links, "
                           "such as fluid");
  if (model.has_links) fabric = build_fabric(spec, ranks);
  return make_network(model, values, ranks, std::move(fabric));
}

std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      std::shared_ptr<const Fabric> fabric) {
  expects(model.has_links == (fabric != nullptr), "a fabric for a model with links, and only then");
  return model.make(complete(model, values), ranks, std::move(fabric));
}

}  // namespace arlab::simulator
