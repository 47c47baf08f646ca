// --network: one word for a network, the same for every command that predicts.
//
//   10G, 100Gbps            a port per rank: alpha_beta with that rate
//   loggops:L=5us,o=1us     a model with its parameters
//   packet:topology=torus:dims=4x4, packet:mtu=1K,topology=torus
//                           on a topology, which comes last
//   rail_pod:nodes=8        a topology alone: model fluid; also a file of a network
//   torus:routing=ecmp      with settings that any topology takes (TopologyOptions)
//   10G:latency=5us         a port per rank, and the time per message
//   machine.toml            a machine file, perhaps with parameters: machine.toml:shared=yes
#pragma once

#include <map>
#include <string>
#include <vector>

#include "algorithms/base/time.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct ModelOptions;

struct NetworkSpec {
  std::string model;     ///< empty: that of a machine file, or of topologies
  std::string machine;   ///< name of a machine file, or empty
  std::string topology;  ///< ":placement=random": the usual one of the model or machine file
  std::map<std::string, std::string> parameters;  ///< of the model, as written
};

/// Throws Error(usage) that names the text.
NetworkSpec parse_network_spec(const std::string& text);

/// A port per rank.
struct PortSpec {
  double bytes_per_second = 0;
  std::string latency{};  ///< as written; empty: the usual one
};

/// Whether the text is a rate such as 10G, perhaps with latency: 10G:latency=5us.
bool is_port_rate(const std::string& text);

/// Throws Error(usage) that names the text, which is_port_rate().
PortSpec parse_port(const std::string& text);

/// Returns the latency of messages between ports of workers, 20us if it is not given, at most 10s.
Time latency_of(const PortSpec& port);

/// Makes `options` the networks of a list such as {"torus,rail_pod:nodes=8"}. Throws Error(usage)
/// if their models differ.
void use_networks(ModelOptions& options, const std::vector<std::string>& lists);

/// What --network takes, for the help of each command.
std::string network_help(const std::string& usual);

}  // namespace arlab::bench
