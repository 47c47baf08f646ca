// Fuzzes placement files and link faults on small networks. The first byte selects network and
// reader. Ranks must be on distinct hosts; with faults, hosts must be connected or the error says
// that they are not.
#include <set>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/faults.hpp"
#include "simulator/topologies/placement.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/fuzz/fuzz.hpp"

void arlab::fuzz::placements(std::string_view input) {
  using namespace arlab::simulator;
  static const Topology networks[] = {
      make_topology("crossbar:hosts=4"), make_topology("leaf_spine:leaves=2,hosts=2"),
      make_topology("ring:hosts=5"), make_topology("rail_pod:nodes=2,gpus=2")};
  Bytes bytes(input);
  const Topology& network = networks[bytes.below(4)];
  const int reader = bytes.below(8);
  accepted([&] {
    if (reader < 5) {
      const auto hosts = read_placement(bytes.rest(), network, reader);
      demand(hosts.size() == static_cast<std::size_t>(reader), "another number of ranks");
      demand(std::set(hosts.begin(), hosts.end()).size() == hosts.size(), "a host twice");
      for (const Rank h : hosts) demand(h >= 0 && h < network.hosts(), "not a host");
      return;
    }
    std::vector<LinkFault> faults;
    std::string_view text = bytes.rest();
    while (!text.empty() && faults.size() < 4) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      faults.push_back(parse_fault(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    const Topology faulty = with_faults(network, faults);
    Router router(faulty);
    for (Rank h = 1; h < faulty.hosts(); ++h)
      demand(!router.route(0, h).empty() && !router.route(h, 0).empty(), "hosts without a route");
  });
}
