// Shortest routes on random networks, beside the distances of Floyd and Warshall.
#include <random>
#include <tuple>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using HopsAndTime = std::pair<std::int64_t, Time>;  // hops first, then latency

constexpr HopsAndTime kNone{1 << 20, Time{}};

// Hosts and switches with random cables and one-way links, all on a random tree.
Topology network(unsigned seed, bool forward) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  const int hosts = 2 + below(5), switches = 1 + below(4);
  TopologyBuilder builder("random", hosts, switches, 100);
  for (int h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  for (int s = 0; s < switches; ++s) builder.add_switch("s" + std::to_string(s), 1);
  const auto wire = [&] { return Wire{.bandwidth = 1e9, .latency = (1 + below(4)) * kNanosecond}; };
  for (int s = 1; s < switches; ++s) builder.add_cable(hosts + s, hosts + below(s), wire());
  for (int h = 0; h < hosts; ++h) builder.add_cable(h, hosts + below(switches), wire());
  for (int extra = below(8); extra > 0; --extra) {
    const int a = below(hosts + switches), b = below(hosts + switches);
    if (a == b) continue;
    if (below(2) == 0)
      builder.add_cable(a, b, wire());
    else
      builder.add_link(a, b, wire());
  }
  if (forward) builder.hosts_forward();
  return std::move(builder).build();
}

std::vector<std::vector<HopsAndTime>> distances(const Topology& t) {
  const auto nodes = std::size_t(t.nodes());
  std::vector<std::vector<HopsAndTime>> all(nodes, std::vector<HopsAndTime>(nodes, kNone));
  for (const Link& link : t.links()) {
    HopsAndTime& d = all[std::size_t(link.from)][std::size_t(link.to)];
    d = std::min(d, HopsAndTime{1, link.latency});
  }
  for (std::size_t middle = 0; middle < nodes; ++middle) {
    if (t.is_host(NodeId(middle)) && !t.hosts_forward()) continue;
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t b = 0; b < nodes; ++b)
        all[a][b] = std::min(all[a][b], HopsAndTime{all[a][middle].first + all[middle][b].first,
                                                    all[a][middle].second + all[middle][b].second});
  }
  return all;
}

}  // namespace

TEST_CASE("shortest routes of random networks have the fewest hops and then the least latency") {
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const Topology t = network(seed, seed % 2 == 0);
    INFO("seed " << seed);
    const auto all = distances(t);
    for (const Routing routing : {Routing::shortest, Routing::ecmp}) {
      Router router(t, routing, seed);
      for (Rank from = 0; from < t.hosts(); ++from)
        for (Rank to = 0; to < t.hosts(); ++to) {
          if (from == to) continue;
          HopsAndTime taken{};
          NodeId at = from;
          for (const LinkId id : router.route(from, to)) {
            REQUIRE(t.link(id).from == at);
            at = t.link(id).to;
            ++taken.first;
            taken.second += t.link(id).latency;
          }
          CHECK(at == to);
          CHECK(taken == all[std::size_t(from)][std::size_t(to)]);
        }
    }
  }
}
