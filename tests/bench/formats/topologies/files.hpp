// The networks of files/, and what they say as one text.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "bench/formats/topologies/network_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"

namespace arlab::bench {

inline std::string network_text(const std::string& file) {
  std::ifstream in(source_file("tests/bench/formats/topologies/files/" + std::string(file)),
                   std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  REQUIRE_FALSE(text.empty());
  return text;
}

/// Every node and link, with the numbers.
inline std::string listed(const simulator::Topology& topology) {
  std::string text;
  for (simulator::NodeId n = 0; n < topology.nodes(); ++n)
    text += fmt::format("{} {} {}\n", topology.node(n).name, topology.node(n).forwards,
                        topology.is_host(n) ? topology.node(n).group : -1);
  for (const simulator::Link& link : topology.links())
    text += fmt::format("{}-{} {} {}\n", link.from, link.to, link.bandwidth, link.latency.count());
  return text;
}

}  // namespace arlab::bench
