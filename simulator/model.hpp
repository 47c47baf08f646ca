// Model: one catalogue entry: a network's parameters with their defaults, and how to make it.
//
// To add one, write simulator/models/<name>.cpp with `Model <name>()` in namespace arlab::catalog,
// and one test.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/network.hpp"

namespace arlab {

struct Parameter {
  enum class Unit { time, time_per_byte, bytes };
  std::string_view name;
  Unit unit;
  double fallback;  ///< picoseconds, picoseconds a byte, or bytes
  std::string_view help;
};

/// Parameter values by name, in the units of Parameter::fallback.
using Values = std::map<std::string, double, std::less<>>;

struct Fabric;  // simulator/topologies/fabric.hpp

struct Model {
  std::string_view name;
  std::string_view idea;
  std::string_view source;
  std::vector<Parameter> parameters;
  /// One of the two; values: all of `parameters`. make_on: for models whose messages share links.
  std::unique_ptr<Network> (*make)(const Values& values, Rank ranks) = nullptr;
  std::unique_ptr<Network> (*make_on)(const Values& values, Rank ranks,
                                      const Fabric& fabric) = nullptr;
};

/// Every model of simulator/models, by name.
std::span<const Model> models();

/// Throws Error(usage) naming the nearest model when there is none of that name.
const Model& find_model(std::string_view name);

/// The model's network, with defaults for what `values` leaves out. Parameters of other models are
/// ignored. Throws Error(usage) for values that are negative or no numbers, and if the model needs
/// a fabric and gets none, or gets one that it has no use for. The fabric must outlive the network.
std::unique_ptr<Network> make_network(const Model& model, const Values& values, Rank ranks,
                                      const Fabric* fabric = nullptr);

/// All of the model's parameters: from `values`, else the default.
Values complete(const Model& model, const Values& values);

}  // namespace arlab
