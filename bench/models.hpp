// The options of network models: --model and one option for every parameter of any model.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "simulator/model.hpp"

namespace arlab {

struct ModelOptions {
  std::string model = "alpha_beta";
  std::map<std::string, std::string> given;  ///< by parameter, as written
  FabricSpec fabric;

  void add(CLI::App& verb);
  const Model& parsed_model() const;
  /// The model's network for so many ranks.
  std::unique_ptr<Network> network(Rank ranks) const;
  /// The topology with every size filled in, routing and placement; "crossbar" where the model
  /// knows none.
  std::string topology_spec(Rank ranks) const;
  /// Throws Error(usage) for a value that is no time or size, or that the chosen model does not
  /// have.
  Values values() const;
  /// All parameters with their values, such as "alpha=5us,beta=80ps,gamma=0".
  std::string machine() const;
};

}  // namespace arlab
