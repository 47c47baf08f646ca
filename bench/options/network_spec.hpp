// --network: one word for a network, the same for every command that predicts.
//
//   10G, 100Gbps            a port per rank: alpha_beta with that rate
//   loggops:L=5us,o=1us     a model with its parameters
//   packet:topology=torus:dims=4x4, packet:mtu=1K,topology=torus
//                           on a topology, which comes last
//   rail_pod:nodes=8        a topology alone: model fluid; also a file of a network
//   machine.toml            a machine file, perhaps with parameters: machine.toml:shared=yes
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

struct ModelOptions;

struct NetworkSpec {
  std::string model;    ///< empty: that of a machine file, or of topologies
  std::string machine;  ///< name of a machine file, or empty
  std::string topology;
  std::map<std::string, std::string> parameters;  ///< of the model, as written
};

/// Throws Error(usage) that names the text.
NetworkSpec parse_network_spec(const std::string& text);

/// Whether the text is a rate such as 10G.
bool is_port_rate(const std::string& text);

/// Makes `options` the networks of a list such as {"torus,rail_pod:nodes=8"}. Throws Error(usage)
/// if their models differ.
void use_networks(ModelOptions& options, const std::vector<std::string>& lists);

/// What --network takes, for the help of each command.
std::string network_help(const std::string& usual);

}  // namespace arlab::bench
