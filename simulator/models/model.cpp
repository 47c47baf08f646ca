#include "simulator/models/model.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

const Model& find_model(std::string_view name) { return find_named(models(), name, "model"); }

Values complete(const Model& model, const Values& values) {
  return with_defaults(model.parameters, values, concat("model ", model.name));
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
