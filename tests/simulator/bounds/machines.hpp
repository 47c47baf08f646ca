// Machines of the literature, as topologies with the bandwidths of the sources.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator::machines {

inline constexpr double kGB = 1e9;

inline Wire wire(double gb_per_s) { return {.bandwidth = gb_per_s * kGB, .latency = kMicrosecond}; }

using Matrix = std::vector<std::vector<int>>;

/// Links as in DGX-1 (V100) and Azure NDv2: 1 or 2 NVLinks between GPUs.
inline const Matrix kCubeMesh{{0, 2, 1, 1, 2, 0, 0, 0}, {2, 0, 1, 2, 0, 1, 0, 0},
                              {1, 1, 0, 2, 0, 0, 2, 0}, {1, 2, 2, 0, 0, 0, 0, 1},
                              {2, 0, 0, 0, 0, 2, 1, 1}, {0, 1, 0, 0, 2, 0, 1, 2},
                              {0, 0, 2, 0, 1, 1, 0, 2}, {0, 0, 0, 1, 1, 2, 2, 0}};

/// GPUs of an AMD MI250 box and the xGMI links between them: ForestColl's topologies.py.
inline const Matrix kMi250{{0, 4, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
                           {4, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0},
                           {0, 0, 0, 4, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0},
                           {0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0},
                           {2, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                           {0, 1, 0, 0, 4, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                           {0, 0, 1, 0, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0},
                           {0, 0, 0, 2, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                           {1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0},
                           {0, 1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1, 0, 0},
                           {0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0},
                           {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2},
                           {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 1, 0},
                           {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4, 0, 1, 1},
                           {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 4},
                           {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 4, 0}};

inline void add_matrix(TopologyBuilder& builder, const Matrix& links, double gb_per_s,
                       NodeId first) {
  const auto n = static_cast<NodeId>(links.size());
  for (NodeId a = 0; a < n; ++a)
    for (NodeId b = 0; b < n; ++b)
      if (const int count = links[std::size_t(a)][std::size_t(b)]; count > 0)
        builder.add_link(first + a, first + b, wire(count * gb_per_s));
}

inline Topology of_matrix(const std::string& name, const Matrix& links, double gb_per_s) {
  TopologyBuilder builder(name, double(links.size()), 0, 1000);
  for (std::size_t g = 0; g < links.size(); ++g) builder.add_host("g" + std::to_string(g));
  add_matrix(builder, links, gb_per_s, 0);
  builder.hosts_forward();
  return std::move(builder).build();
}

/// Boxes of 8 A100s on 300 GB/s NVSwitches; with several, a NIC of 25 GB/s per GPU, to one
/// InfiniBand switch for even GPUs and one for odd ones. GPUs forward messages, as with NCCL's PXN.
inline Topology a100_boxes(int boxes) {
  TopologyBuilder builder("a100", 8 * boxes, boxes + 2, 100 * boxes);
  for (int g = 0; g < 8 * boxes; ++g)
    builder.add_host("b" + std::to_string(g / 8) + "g" + std::to_string(g % 8));
  std::vector<NodeId> nvswitch;
  for (int b = 0; b < boxes; ++b)
    nvswitch.push_back(builder.add_switch("nv" + std::to_string(b), 1));
  for (int g = 0; g < 8 * boxes; ++g)
    builder.add_cable(g, nvswitch[std::size_t(g / 8)],
                      {.bandwidth = 300 * kGB, .latency = kMicrosecond / 4});
  if (boxes > 1) {
    const NodeId even = builder.add_switch("ib0", 2), odd = builder.add_switch("ib1", 2);
    for (int g = 0; g < 8 * boxes; ++g) builder.add_cable(g, g % 2 == 0 ? even : odd, wire(25));
  }
  builder.hosts_forward();
  builder.group_hosts("box", 8);
  return std::move(builder).build();
}

/// Azure NDv2 as in TE-CCL: GPU 0 sends to the next box and GPU 1 receives (2 boxes), or GPU 1
/// sends to a switch and GPU 2 receives from it.
inline Topology ndv2(int boxes) {
  TopologyBuilder builder("ndv2", 8 * boxes, 1, 100 * boxes);
  for (int g = 0; g < 8 * boxes; ++g)
    builder.add_host("b" + std::to_string(g / 8) + "g" + std::to_string(g % 8));
  const NodeId middle = boxes == 2 ? -1 : builder.add_switch("s", 1);
  for (int b = 0; b < boxes; ++b) add_matrix(builder, kCubeMesh, 25, 8 * b);
  if (boxes == 2) {
    builder.add_link(8, 1, wire(12.5));
    builder.add_link(0, 9, wire(12.5));
  } else {
    for (int b = 0; b < boxes; ++b) {
      builder.add_link(8 * b + 1, middle, wire(12.5));
      builder.add_link(middle, 8 * b + 2, wire(12.5));
    }
  }
  builder.hosts_forward();
  return std::move(builder).build();
}

/// A connected network with cables of unequal speed between hosts and up to 3 switches.
inline Topology random_network(unsigned seed, int hosts) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  const int switches = below(4);
  TopologyBuilder builder("random", hosts, switches, 1000);
  for (int h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  for (int s = 0; s < switches; ++s) builder.add_switch("s" + std::to_string(s), 1);
  const double speeds[] = {1, 2, 3, 5, 12.5};
  const auto cable = [&](int a, int b) { builder.add_cable(a, b, wire(speeds[below(5)])); };
  for (int n = 1; n < hosts + switches; ++n) cable(n, below(n));
  for (int extra = below(hosts + 1); extra > 0; --extra) {
    const int a = below(hosts + switches), b = below(hosts + switches);
    if (a != b) cable(a, b);
  }
  builder.hosts_forward();
  return std::move(builder).build();
}

}  // namespace arlab::simulator::machines
