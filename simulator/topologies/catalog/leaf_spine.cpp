// Leaf-spine: racks of hosts on leaf switches, and every leaf connected to every spine switch: a
// fat tree of two levels whose up links may have any speed. With oversubscription o, the up links
// of a leaf have 1/o of the total bandwidth of its hosts. Alizadeh & Edsall, On the data path
// performance of leaf-spine datacenter fabrics, HOTI 2013.
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/build/tree.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

void fit(Settings& settings, Rank hosts) { fit_groups(settings, "leaves", "hosts", hosts); }

Topology make(const Settings& settings) {
  const std::int32_t leaves = settings.count("leaves"), spines = settings.count("spines"),
                     hosts = settings.count("hosts");
  const double bandwidth = settings.bandwidth("bandwidth");
  const double up = bandwidth * hosts / (spines * settings.ratio("oversubscription"));
  const Time latency = settings.time("latency");
  return make_tree(settings.spec(), {{hosts, leaves}, {1, spines}, {1, 1}},
                   {{"leaf", {bandwidth, latency, "host"}}, {"spine", {up, latency, "leaf-spine"}}},
                   settings.flag("aggregate"));
}

}  // namespace

TopologyKind leaf_spine() {
  using Unit = Parameter::Unit;
  return {
      .name = "leaf_spine",
      .summary = "racks of hosts on leaf switches, every leaf on every spine",
      .source = "Alizadeh & Edsall 2013",
      .parameters = {{"leaves", Unit::count, "4", "leaf switches"},
                     {"spines", Unit::count, "4", "spine switches"},
                     {"hosts", Unit::count, "16", "hosts per leaf"},
                     {"oversubscription", Unit::ratio, "1",
                      "oversubscription: a leaf's host bandwidth / its uplink bandwidth"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of a host's link, each way"},
                     {"latency", Unit::time, "500ns", "of a link"},
                     {"aggregate", Unit::flag, "no", "switches add (in-network reduction)"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
