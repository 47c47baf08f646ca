// The options of network models: --model, one option for every parameter of any model, and what the
// messages travel on.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/cli/options.hpp"
#include "bench/cli/topology_options.hpp"
#include "simulator/models/model.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct ModelOptions {
  std::string model = "alpha_beta";
  std::map<std::string, std::string> given;  ///< by parameter, as written
  std::vector<std::string> topologies, placements;
  TopologyOptions network;  ///< what all of them have in common

  void add(CLI::App& command);
  const simulator::Model& parsed_model() const;

  /// Topologies x placements: what a sweep goes over; at least one. Throws Error(usage) where the
  /// model has no use for what was given.
  std::vector<TopologyOptions> networks() const;
  /// One of networks(), built for so many ranks; null where the model has no links. Those of the
  /// latest number of ranks are kept.
  std::shared_ptr<const simulator::Fabric> fabric(std::size_t choice, Rank ranks) const;
  std::unique_ptr<simulator::Network> make(std::size_t choice, Rank ranks) const;
  /// Which ranks share a node on each of networks(), where the topology says so. They refer to
  /// this.
  std::vector<GroupsOf> groups() const;
  /// With every size filled in, and what is not as usual; "crossbar" where the model has no links.
  std::string topology_text(std::size_t choice, Rank ranks) const;

  /// Throws Error(usage) for a value that is no time or size, or that the chosen model does not
  /// have.
  Values values() const;
  /// All parameters with their values, such as "alpha=5us,beta=80ps,gamma=0".
  std::string machine() const;

 private:
  mutable std::map<std::size_t, std::shared_ptr<const simulator::Fabric>> built_;
  mutable Rank built_for_ = 0;
};

}  // namespace arlab::bench
