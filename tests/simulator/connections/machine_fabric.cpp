// The network of a measured machine: which link is a host's port, and which route has the latency.
#include "simulator/connections/machine_fabric.hpp"

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/faults.hpp"
#include "simulator/topologies/import/file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr double kPort = 2e9;  // bytes per second

std::shared_ptr<const Fabric> fabric(Topology topology, const char* placement = "block") {
  const Rank hosts = topology.hosts();
  std::vector<Rank> host_of = place(topology, find_placement(placement), hosts, 0);
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), Routing::automatic, 0, std::move(host_of)});
}

std::shared_ptr<const Fabric> measured(const std::shared_ptr<const Fabric>& stated) {
  Machine machine;
  machine.beta = kPicosecondsPerSecond / kPort;
  return machine_fabric(machine, stated);
}

double rate(const Fabric& of, const std::string& link) {
  return of.topology.link(links_named(of.topology, link).front()).bandwidth;
}

Topology faulty(const std::string& spec, std::initializer_list<const char*> faults) {
  std::vector<LinkFault> parsed;
  for (const char* fault : faults) parsed.push_back(parse_fault(fault));
  return with_faults(make_topology(spec), parsed);
}

}  // namespace

TEST_CASE("a machine's port has the measured rate before faults, whichever host has one") {
  const std::string spec = "leaf_spine:leaves=2,hosts=4,oversubscription=4";
  for (const char* host : {"h0", "h3", "h7"}) {
    INFO(host);
    const auto slow = measured(fabric(faulty(
        spec,
        {(std::string("slow=") + host + "--leaf" + (host[1] == '7' ? "1" : "0") + ":2").c_str()})));
    CHECK(rate(*slow, "h1-leaf0") == Approx(kPort));
    CHECK(rate(*slow, std::string(host) + (host[1] == '7' ? "-leaf1" : "-leaf0")) ==
          Approx(kPort / 2));
  }
  // Also where all have one, and where the first cable is dead.
  const auto all = measured(fabric(faulty("crossbar:hosts=2", {"slow=h0--s0:2", "slow=h1--s0:2"})));
  CHECK(rate(*all, "h0-s0") == Approx(kPort / 2));
  const auto dead = measured(fabric(faulty("ring:hosts=4", {"dead=h0--h1", "slow=h1--h2:4"})));
  CHECK(rate(*dead, "h2-h3") == Approx(kPort));
}

TEST_CASE("a machine's port is that of the usual host, in whatever order the links are") {
  const std::string hosts = "graph { node [kind=host]; edge [latency=\"1us\"]; a;b;c;d; ",
                    cables =
                        "a--s [bandwidth=\"10GB/s\"]; b--s [bandwidth=\"10GB/s\"]; "
                        "c--t [bandwidth=\"10GB/s\"]; d--t [bandwidth=\"10GB/s\"]; ",
                    trunk = "s--t [bandwidth=\"40GB/s\"]; ", switches = "node [kind=switch]; s;t; ";
  for (const std::string& order : {cables + trunk, trunk + cables}) {
    const auto made = measured(fabric(parse_topology(hosts + switches + order + "}", "n.dot")));
    CHECK(rate(*made, "a-s") == Approx(kPort));
    CHECK(rate(*made, "s-t") == Approx(4 * kPort));
  }
}

TEST_CASE("a GPU's port is its NIC, also where other GPUs relay") {
  for (const char* spec : {"rail_pod:nodes=2", "rail_pod:nodes=2,relay=yes"}) {
    INFO(spec);
    const auto pod = measured(fabric(make_topology(spec)));
    CHECK(rate(*pod, "n0g0-rail0") == Approx(kPort));
    CHECK(rate(*pod, "n0g0-nvswitch0") == Approx(9 * kPort));  // 450 GB/s to 400 Gbit/s
  }
  const auto one_node = measured(fabric(make_topology("rail_pod:nodes=1")));
  CHECK(rate(*one_node, "n0g0-nvswitch0") == Approx(kPort));
}

TEST_CASE("the port of a node with PCIe switches is its NIC's link, whatever the switches carry") {
  const std::string nodes =
      "graph { edge [latency=\"1us\"]; node [kind=host]; a [group=0]; b [group=0]; c [group=1]; "
      "d [group=1]; node [kind=switch]; p [group=0]; q [group=1]; s; ";
  const std::string links =
      "a--p [bandwidth=\"40GB/s\"]; b--p [bandwidth=\"40GB/s\"]; c--q [bandwidth=\"40GB/s\"]; "
      "d--q [bandwidth=\"40GB/s\"]; p--s [bandwidth=\"10GB/s\"]; q--s [bandwidth=\"10GB/s\"] }";
  const auto made = measured(fabric(parse_topology(nodes + links, "n.dot")));
  CHECK(rate(*made, "p-s") == Approx(kPort));
  CHECK(rate(*made, "a-p") == Approx(4 * kPort));
  CHECK_THAT(refusal([&] { parse_topology(nodes + "t [group=2]; " + links, "n.dot"); }),
             Catch::Contains("switch 't' is in group '2', which has no host"));
}

TEST_CASE("the measured latency is that of the first two hosts, whichever ranks are there") {
  const std::string spec = "leaf_spine:leaves=4,hosts=4,latency=5us";
  Machine machine;
  for (const char* placement : {"block", "cyclic", "random"}) {
    INFO(placement);
    const auto stated = fabric(make_topology(spec), placement);
    machine.latency = 12e6;  // more than the two links of the first two hosts
    CHECK(machine_fabric(machine, stated) == stated);
    CHECK(first_latency(*stated) == 10 * kMicrosecond);
    machine.latency = 5e6;
    CHECK(machine_fabric(machine, stated)->topology.links().front().latency == 2500 * 1000_ps);
  }
}
