// Model: a catalog entry: the parameters of a network model, their defaults, and its factory.
//
// To add one, write simulator/models/catalog/<name>.cpp with `Model <name>()` in namespace
// arlab::simulator::model_catalog, and one test.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "simulator/network.hpp"
#include "simulator/topologies/fabric_spec.hpp"

namespace arlab::simulator {

struct Fabric;  // simulator/topologies/fabric.hpp

struct Model {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::vector<Parameter> parameters;
  bool has_links = false;  ///< messages share the links of a topology
  bool adds = false;       ///< has transfers through switches that add
  /// values: all of `parameters`. fabric: null for a model without links.
  std::unique_ptr<Network> (*make)(const Values& values, Rank ranks,
                                   std::shared_ptr<const Fabric> fabric);
};

/// Returns all models of simulator/models/catalog, by name.
std::span<const Model> models();

/// Returns the model of that name. Throws Error(usage) that names the nearest if there is none.
const Model& find_model(std::string_view name);

/// Makes the model's network, with defaults for missing values. Values of other parameters are
/// ignored. Throws Error(usage) for values that are negative or not finite, for a topology of a
/// model without links, and for a topology that does not exist or does not hold the ranks.
std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      const FabricSpec& fabric = {});
/// Makes the network on an existing fabric.
std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      std::shared_ptr<const Fabric> fabric);

/// Returns all parameters of the model: from `values`, or the default.
Values complete(const Model& model, const Values& values);

}  // namespace arlab::simulator
