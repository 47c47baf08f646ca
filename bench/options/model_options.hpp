// The options of a simulated network: what --network says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/options/options.hpp"
#include "bench/options/topology_options.hpp"
#include "simulator/models/model.hpp"

namespace CLI {
class App;
}

namespace arlab::simulator {
struct Machine;
struct NetworkBounds;
}  // namespace arlab::simulator

namespace arlab::bench {

struct MachineFile;
struct MachineSpread;

/// The model that machine files describe.
inline constexpr const char* kMachineModel = "connections";

/// The model of a topology alone.
inline constexpr const char* kTopologyModel = "fluid";

struct ModelOptions {
  /// As given; empty: connections with a machine file, fluid with a topology, else alpha_beta.
  std::string model;
  std::string machine_path;                  ///< of a machine file; empty: none
  std::map<std::string, std::string> given;  ///< by parameter, as written
  std::vector<std::string> topologies;       ///< as topology_options() takes them
  TopologyOptions usual;                     ///< of each, where it does not say otherwise

  void add(CLI::App& command);
  /// Adds only the machine file, and the network that it is used on.
  void add_machine(CLI::App& command);
  /// Throws as parse_machine() does, if there is a machine file that cannot be used.
  void check_machine() const { file(); }
  const simulator::Model& parsed_model() const;
  /// Whether messages share the links of a topology: ranks of one machine have none.
  bool has_links() const;
  /// Throws Error(usage) for a given option that changes nothing.
  void check_effects() const;

  /// Returns the networks of a sweep, at least one. Throws Error(usage) if the model
  /// does not use them.
  std::vector<TopologyOptions> networks() const;
  /// Returns one of networks() for this number of ranks; null if the model has no links. Caches
  /// those of the latest number of ranks.
  std::shared_ptr<const simulator::Fabric> fabric(std::size_t choice, Rank ranks) const;
  /// Returns the fabric with the rates of the machine, if the model is one.
  std::shared_ptr<const simulator::Fabric> with_measured_links(
      std::shared_ptr<const simulator::Fabric> fabric) const;
  /// draw: the number of the random delays, if drifts(). refit: one of spread(), in place of the
  /// measured machine.
  std::unique_ptr<simulator::Network> make(std::size_t choice, Rank ranks, int draw = 0,
                                           const simulator::Machine* refit = nullptr) const;
  /// Returns what intervals of predictions need; null without a machine file, and with an older
  /// one.
  const MachineSpread* spread() const;
  /// Whether ranks are late at random, as on a calibrated machine.
  bool drifts() const;
  /// Returns of how many random draws the median is a prediction; 1 if nothing is random.
  int draws() const;
  /// Returns a time in microseconds that no run of the problem on one of networks() can beat;
  /// nothing if the model or machine has no links, or if the bound takes long to compute for this
  /// many ranks.
  std::optional<double> bound(std::size_t choice, const Problem& problem, Bytes element_size) const;
  /// Returns the groups of ranks that share a node, for each of networks(), and which switches add,
  /// if any may. They refer to this object.
  std::vector<LayoutOf> layouts(bool switches_may_add = true) const;
  /// Returns the topology with all sizes and every option that is not the default; "crossbar" if
  /// the model has no links.
  std::string topology_text(std::size_t choice, Rank ranks) const;

  /// Throws Error(usage) for a value that is not a time or size, or that the model does not have.
  Values values() const { return values_of_refit(nullptr); }
  /// Returns all parameters with their values, such as "alpha=5us,beta=80ps,gamma=0".
  std::string machine() const;

 private:
  mutable std::map<std::size_t, std::shared_ptr<const simulator::Fabric>> built_;
  mutable std::map<std::size_t, std::shared_ptr<const simulator::NetworkBounds>> bounds_;
  mutable Rank built_for_ = 0;
  /// Returns the machine file, which it reads once; null if there is none.
  const MachineFile* file() const;
  Values values_of_refit(const simulator::Machine* refit) const;
  simulator::Machine measured(const Values& all, const simulator::Machine* refit) const;
  /// Whether the ranks share a machine, and have no network.
  bool is_shared() const;
  mutable std::shared_ptr<const MachineFile> file_;
};

}  // namespace arlab::bench
