// Full mesh: every host is connected to every other.
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) { settings.choose("hosts", hosts); }

Topology make(const Settings& settings) {
  const std::int32_t hosts = settings.count("hosts");
  const Wire wire{settings.bandwidth("bandwidth"), settings.time("latency"), "direct"};
  TopologyBuilder builder(settings.spec(), hosts, 0, 1. * hosts * (hosts - 1));
  for (Rank h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  for (Rank a = 0; a < hosts; ++a)
    for (Rank b = a + 1; b < hosts; ++b) builder.add_cable(a, b, wire);
  builder.hosts_forward();
  return std::move(builder).build();
}

}  // namespace

TopologyKind full_mesh() {
  using Unit = Parameter::Unit;
  return {
      .name = "full_mesh",
      .summary = "every host is joined to every other",
      .source = "Dally & Towles 2004, chapter 3",
      .parameters = {{"hosts", Unit::count, "16", "hosts"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
