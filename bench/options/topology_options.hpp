// The options of a network: topology (by name or from a file), and settings that any topology takes
// beside its own: torus:dims=4x4,placement=random,routing=ecmp,seed=3,dead=h0--h1,slow=h1-h2:4.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::simulator {
class Topology;
struct Fabric;
struct RoutingSpec;
}  // namespace arlab::simulator

namespace arlab::bench {

struct TopologyOptions {
  std::string topology;  ///< "fat_tree:k=8" or the name of a file
  std::string routing = "automatic", placement = "block";
  std::vector<std::string> faults;  ///< "dead=h0-edge0", "slow=h0--edge0:4"
  std::uint64_t seed = 0;

  /// Whether the seed of random numbers has an effect.
  bool draws() const;
  /// Returns the topology with its faults. Sizes that are left out become large enough for `ranks`
  /// hosts. Throws Error(usage), and Error(environment) for a file that cannot be read.
  simulator::Topology open(Rank ranks = 0) const;
  simulator::RoutingSpec parsed_routing() const;
  /// Returns the host of each rank.
  std::vector<Rank> hosts_of(const simulator::Topology& topology, Rank ranks) const;
  /// Returns topology, routing and placement, built.
  std::shared_ptr<const simulator::Fabric> fabric(Rank ranks) const;
  /// Returns the topology with all sizes, and every option that is not the default.
  std::string text(const simulator::Topology& made) const;
};

/// What --help says of these settings.
inline constexpr const char* kHostSettings =
    "placement=block (default), cyclic, random or a file with a host for each rank; "
    "routing=automatic (default), shortest, ecmp (ecmp:flows=4), spray, dimension, d_mod_k, minimal or valiant; "
    "seed=3 of both (default 0); dead=h0--h1 and slow=h0-h1:4 (broken links)";

/// Whether a setting is one that any topology takes.
bool is_host_setting(std::string_view name);

/// Returns the options of a text such as "torus:dims=4x4,placement=random", and what it does not
/// say from `usual`; a text without a name, ":placement=random", is of the usual topology. Throws
/// Error(usage) that names the bad setting.
TopologyOptions topology_options(const std::string& text, TopologyOptions usual = {});

/// Returns the text with a setting before its own.
std::string with_host_setting(const std::string& text, const std::string& setting);

/// Splits "torus,fat_tree:k=8,levels=2,rail_pod" into three specs: a part without '=', or with
/// ':' before it, begins a new one.
std::vector<std::string> split_specs(const std::vector<std::string>& lists);

}  // namespace arlab::bench
