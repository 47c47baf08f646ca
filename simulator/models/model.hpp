// Model: one catalog entry: a network's parameters with their defaults, and how to make it.
//
// To add one, write simulator/models/catalog/<name>.cpp with `Model <name>()` in namespace arlab::simulator::catalog,
// and one test.
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
  /// values: all of `parameters`. fabric: null for a model without links.
  std::unique_ptr<Network> (*make)(const Values& values, Rank ranks,
                                   std::shared_ptr<const Fabric> fabric);
};

/// Every model of simulator/models, by name.
std::span<const Model> models();

/// Throws Error(usage) naming the nearest model when there is none of that name.
const Model& find_model(std::string_view name);

/// The model's network, with defaults for what `values` leaves out. Parameters of other models are
/// ignored. Throws Error(usage) for values that are negative or no numbers, for a topology that the
/// model has no use for, and for one that does not exist or does not hold the ranks.
std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      const FabricSpec& fabric = {});
/// The same on a network that is built already.
std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      std::shared_ptr<const Fabric> fabric);

/// All of the model's parameters: from `values`, else the default.
Values complete(const Model& model, const Values& values);

}  // namespace arlab::simulator
