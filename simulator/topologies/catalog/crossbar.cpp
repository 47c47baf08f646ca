// Crossbar: each host has an up link and a down link to one ideal switch.
//
// The switch is never a bottleneck, so only the ports of the hosts are shared. Port models such as
// alpha-beta assume this network. SimGrid calls it a SPLITDUPLEX cluster without a backbone.
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) { settings.choose("hosts", hosts); }

Topology make(const Settings& settings) {
  const std::int32_t hosts = settings.count("hosts");
  const Wire wire{settings.bandwidth("bandwidth"), settings.time("latency"), "host"};
  TopologyBuilder builder(settings.spec(), hosts, 1, 2. * hosts);
  for (Rank h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  const NodeId middle = builder.add_switch("s0", 1);
  if (settings.flag("aggregate")) builder.make_adding(middle, {});
  for (Rank h = 0; h < hosts; ++h) builder.add_cable(h, middle, wire);
  return std::move(builder).build();
}

}  // namespace

TopologyKind crossbar() {
  using Unit = Parameter::Unit;
  return {
      .name = "crossbar",
      .summary = "every host has an up link and a down link to one ideal switch",
      .source = "SimGrid's split-duplex cluster",
      .parameters = {{"hosts", Unit::count, "16", "hosts"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"},
                     {"aggregate", Unit::flag, "no", "the switch adds (in-network reduction)"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
