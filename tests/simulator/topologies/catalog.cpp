// Every topology of the catalog is complete, connected, as large as requested, and has the metrics
// of the literature.
#include <cmath>

#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/analysis/metrics.hpp"
#include "simulator/topologies/build/distances.hpp"
#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr double kBandwidth = 12.5e9;  // 100 Gbit/s, the default of most

// Returns the sum of `one(size)` over the dimensions.
double over(const std::vector<int>& dims, double (*one)(double)) {
  double sum = 0;
  for (const int d : dims) sum += one(d);
  return sum;
}

std::string spec_of(const std::string& kind, const std::vector<int>& dims) {
  std::string text;
  for (const int d : dims) text += (text.empty() ? kind + ":dims=" : "x") + std::to_string(d);
  return text;
}

double product(const std::vector<int>& dims) {
  double all = 1;
  for (const int d : dims) all *= d;
  return all;
}

const std::vector<std::vector<int>> kGrids{{8},       {5},       {4, 4},      {2, 6},
                                           {3, 5, 4}, {8, 8, 4}, {2, 2, 2, 2}};

}  // namespace

TEST_CASE("every topology has all fields that tables need") {
  for (const TopologyKind& kind : topologies()) {
    INFO(kind.name);
    CHECK(&find_topology(kind.name) == &kind);
    CHECK_FALSE(kind.summary.empty());
    CHECK_FALSE(kind.source.empty());
    CHECK_FALSE(kind.parameters.empty());
    for (const Parameter& p : kind.parameters) {
      INFO(p.name);
      CHECK_FALSE(p.help.empty());
      if (p.name == "down" || p.name == "up" || p.name == "count") continue;  // not together with k
      // Defaults are valid values.
      const std::string one =
          std::string(kind.name) + ":" + std::string(p.name) + "=" + std::string(p.default_value);
      CHECK(make_topology(one).spec() == one);
    }
  }
}

TEST_CASE(
    "every topology fits the hosts asked for, is connected, and can be made again by its spec") {
  for (const TopologyKind& kind : topologies())
    for (const Rank hosts : {1, 2, 3, 7, 16, 33, 64, 100}) {
      const Topology t = make_topology(kind.name, hosts);
      INFO(t.spec());
      REQUIRE(t.hosts() >= hosts);
      REQUIRE_FALSE(find_disconnection(t).has_value());
      const Topology again = make_topology(t.spec());
      REQUIRE(again.spec() == t.spec());
      REQUIRE(again.links().size() == t.links().size());
      REQUIRE(num_vertices(t.graph()) == static_cast<std::size_t>(t.nodes()));
      REQUIRE(num_edges(t.graph()) == t.links().size());
      for (Rank h = 0; h < t.hosts(); ++h)
        REQUIRE((t.groups() == 0 || (t.group_of(h) >= 0 && t.group_of(h) < t.groups())));
    }
}

TEST_CASE(
    "every route of every topology is a way from source to target, under every routing it has") {
  for (const TopologyKind& kind : topologies())
    for (const Rank hosts : {5, 40}) {
      const Topology t = make_topology(kind.name, hosts);
      for (const Routing routing : kRoutings) {
        std::optional<Router> router;
        try {
          router.emplace(t, routing, 7);
        } catch (const Error&) {
          continue;  // not for this structure
        }
        INFO(t.spec() << " " << name(router->routing()));
        std::vector<std::vector<Distance>> to;
        for (Rank h = 0; h < t.hosts(); ++h) to.push_back(distances_to(t, h));
        const bool shortest =
            router->routing() != Routing::minimal && router->routing() != Routing::valiant;
        for (Rank source = 0; source < t.hosts(); ++source)
          for (Rank target = 0; target < t.hosts(); ++target) {
            const auto route = router->route(source, target, source + 1);
            REQUIRE_FALSE(nodes_of(t, route, source, target).empty());
            const Distance& d =
                to[static_cast<std::size_t>(target)][static_cast<std::size_t>(source)];
            if (shortest) REQUIRE(static_cast<std::int32_t>(route.size()) == d.hops);
            if (shortest) REQUIRE(router->latency(route) == d.latency);
          }
      }
    }
}

TEST_CASE("torus: diameter, average distance, links and bisection as in Dally 1990") {
  for (const auto& dims : kGrids) {
    const Topology t = make_topology(spec_of("torus", dims));
    INFO(t.spec());
    const Metrics m = metrics(t);
    const double n = product(dims);
    CHECK(m.hosts == n);
    CHECK(m.diameter == over(dims, [](double k) { return std::floor(k / 2); }));
    const double average =
        over(dims, [](double k) { return std::fmod(k, 2) == 0 ? k / 4 : (k * k - 1) / (4 * k); });
    CHECK(m.average_distance == Approx(average * n / (n - 1)));
    CHECK(static_cast<double>(m.links) ==
          n * over(dims, [](double k) { return k > 2 ? 2. : k - 1; }));
    if (dims.back() % 2 == 0)  // the slowest dimension is cut in the middle, and where it closes
      CHECK(m.first_half == Approx((dims.back() > 2 ? 2 : 1) * n / dims.back() * kBandwidth));
  }
}

TEST_CASE("mesh: diameter, average distance, links and bisection") {
  for (const auto& dims : kGrids) {
    const Topology t = make_topology(spec_of("mesh", dims));
    INFO(t.spec());
    const Metrics m = metrics(t);
    const double n = product(dims);
    CHECK(m.diameter == over(dims, [](double k) { return k - 1; }));
    const double average = over(dims, [](double k) { return (k * k - 1) / (3 * k); });
    CHECK(m.average_distance == Approx(average * n / (n - 1)));
    CHECK(static_cast<double>(m.links) ==
          Approx(n * over(dims, [](double k) { return 2 * (k - 1) / k; })));
    if (dims.back() % 2 == 0) CHECK(m.first_half == Approx(n / dims.back() * kBandwidth));
  }
}

TEST_CASE("hypercube: diameter d, average d/2, d links per host, bisection N/2") {
  for (const int d : {1, 2, 3, 6, 8}) {
    const Metrics m = metrics(make_topology("hypercube:d=" + std::to_string(d)));
    const double n = std::pow(2, d);
    CHECK(m.hosts == n);
    CHECK(m.diameter == d);
    CHECK(m.average_distance == Approx(d / 2. * n / (n - 1)));
    CHECK(static_cast<double>(m.links) == n * d);
    CHECK(m.first_half == Approx(n / 2 * kBandwidth));
  }
}

TEST_CASE("fat tree of k ports: k^3/4 hosts, 5k^2/4 switches, diameter 6, full bisection") {
  for (const int k : {2, 4, 6, 8}) {
    const Metrics m = metrics(make_topology("fat_tree:k=" + std::to_string(k)));
    CHECK(m.hosts == k * k * k / 4);
    CHECK(m.switches == 5 * k * k / 4);
    CHECK(m.links == 2 * 3 * k * k * k / 4);
    CHECK(m.diameter == 6);
    CHECK(m.first_half == Approx(m.hosts / 2 * kBandwidth));
    CHECK(m.per_host == Approx(kBandwidth));
    CHECK(m.tiers.size() == 3);
  }
}

TEST_CASE("fat tree: oversubscription divides the bisection, not the hosts") {
  for (const int over : {1, 2, 4}) {
    const std::string o = std::to_string(over);
    const Metrics three = metrics(make_topology("fat_tree:k=8,oversubscription=" + o));
    CHECK(three.hosts == 128);
    CHECK(three.per_host == Approx(kBandwidth / over));
    const Metrics two = metrics(make_topology("fat_tree:k=8,levels=2,oversubscription=" + o));
    CHECK(two.hosts == 32);
    CHECK(two.switches == 8 + 4 / over);
    CHECK(two.diameter == 4);
    CHECK(two.per_host == Approx(kBandwidth / over));
  }
}

TEST_CASE("fat tree in general form: 2 levels, 16 and 16 down, 1 and 4 up, is a 4:1 tree") {
  const Metrics m = metrics(make_topology("fat_tree:down=16x16,up=1x4,count=1x1"));
  CHECK(m.hosts == 256);
  CHECK(m.switches == 16 + 4);
  CHECK(m.links == 2 * (256 + 16 * 4));
  CHECK(m.per_host == Approx(kBandwidth / 4));
  const Metrics doubled = metrics(make_topology("fat_tree:down=16x16,up=1x4,count=1x2"));
  CHECK(doubled.links == 2 * (256 + 16 * 4 * 2));
  CHECK(doubled.per_host == Approx(kBandwidth / 2));
}

TEST_CASE("crossbar, full mesh and ring") {
  const Metrics bar = metrics(make_topology("crossbar:hosts=9,latency=2us"));
  CHECK(bar.diameter == 2);
  CHECK(bar.longest_latency == 4 * kMicrosecond);
  CHECK(bar.links == 18);
  CHECK(bar.first_half == Approx(4 * kBandwidth));
  CHECK(bar.halves == "h0 ... h3 to h4 ... h8");
  const Metrics mesh = metrics(make_topology("full_mesh:hosts=9"));
  CHECK(mesh.diameter == 1);
  CHECK(mesh.links == 72);
  CHECK(mesh.first_half == Approx(4 * 5 * kBandwidth));
  const Metrics ring = metrics(make_topology("ring:hosts=10"));
  CHECK(ring.diameter == 5);
  CHECK(ring.links == 20);
  CHECK(ring.first_half == Approx(2 * kBandwidth));
}

TEST_CASE("a crossbar with too many links is refused before it is built") {
  CHECK(error_text(Blame::usage, [] { make_topology("crossbar:hosts=2097153"); }) ==
        "crossbar:hosts=2097153 would have 4194306 links, more than 4194304: make it smaller");
}

TEST_CASE("leaf-spine: the up links together have 1/o of the bandwidth of the hosts") {
  const Topology t = make_topology("leaf_spine:leaves=6,spines=3,hosts=8,oversubscription=2");
  const Metrics m = metrics(t);
  CHECK(m.hosts == 48);
  CHECK(m.links == 2 * (48 + 18));
  CHECK(m.diameter == 4);
  CHECK(m.per_host == Approx(kBandwidth / 2));
  CHECK(t.groups() == 6);
  CHECK(t.group_word() == "leaf");
  CHECK(t.group_of(15) == 1);
}

TEST_CASE("dragonfly: a p (a h + 1) hosts, all groups joined once, at most 5 links apart") {
  for (const int h : {1, 2, 3}) {
    const int a = 2 * h, p = h, g = a * h + 1;
    const std::string spec =
        "dragonfly:a=" + std::to_string(a) + ",p=" + std::to_string(p) + ",h=" + std::to_string(h);
    const Topology t = make_topology(spec);
    INFO(spec);
    const Metrics m = metrics(t);
    CHECK(m.hosts == a * p * g);
    CHECK(m.switches == a * g);
    CHECK(m.links == 2 * m.hosts + g * a * (a - 1) + g * a * h);
    CHECK(m.diameter <= 5);
    std::set<std::pair<std::int32_t, std::int32_t>> joined;
    std::vector<int> ports(static_cast<std::size_t>(t.nodes()));
    for (const Link& link : t.links())
      if (t.tiers()[static_cast<std::size_t>(link.tier)] == "global") {
        CHECK(joined.emplace((link.from - t.hosts()) / a, (link.to - t.hosts()) / a).second);
        ++ports[static_cast<std::size_t>(link.from)];
      }
    CHECK(joined.size() == static_cast<std::size_t>(g * (g - 1)));
    for (NodeId n = t.hosts(); n < t.nodes(); ++n) CHECK(ports[static_cast<std::size_t>(n)] == h);
  }
  // 4 groups to 4 groups by one cable each.
  CHECK(metrics(make_topology("dragonfly:a=4,p=2,h=2,groups=8")).first_half ==
        Approx(16 * kBandwidth));
}

TEST_CASE("sizes that are left out hold the hosts, whichever are given") {
  const auto spec = [](const char* given, Rank hosts) {
    return make_topology(given, hosts).spec();
  };
  CHECK(spec("fat_tree:up=1x4", 16) == "fat_tree:down=4x4,up=1x4");
  CHECK(spec("fat_tree:up=1x4", 100) == "fat_tree:down=10x10,up=1x4");
  CHECK(spec("fat_tree:count=1x2x2", 60) == "fat_tree:down=5x4x3,count=1x2x2");
  CHECK(spec("dragonfly:a=4", 16) == "dragonfly:a=4,p=2,h=2,groups=2");
  CHECK(spec("dragonfly:a=4", 100) == "dragonfly:a=4,p=3,h=3,groups=9");
  CHECK(spec("dragonfly:groups=3", 100) == "dragonfly:a=10,p=5,h=5,groups=3");
  CHECK(spec("dragonfly:p=1", 1000) == "dragonfly:a=14,p=1,h=7,groups=72");
  for (const char* too_few : {"dragonfly:a=1,p=1,groups=2", "dragonfly:a=2,p=2,h=2"})
    CHECK(error_text(Blame::usage, [&] {
            make_topology(too_few, 100);
          }).find(" hosts, but there are 100 ranks") != std::string::npos);
}

TEST_CASE("rail pod: NVLink within a node, one switch along a rail, spines between rails") {
  const Topology t = make_topology("rail_pod:nodes=4,gpus=8,spines=4,oversubscription=2");
  const Metrics m = metrics(t);
  CHECK(m.hosts == 32);
  CHECK(m.switches == 4 + 8 + 4);
  CHECK(m.links == 2 * (2 * 32 + 8 * 4));
  CHECK(t.groups() == 4);
  CHECK(t.group_word() == "node");
  Router router(t);
  CHECK(names(t, router.route(0, 5)) == "n0g0-nvswitch0 nvswitch0-n0g5");
  CHECK(names(t, router.route(3, 27)) == "n0g3-rail3 rail3-n3g3");
  CHECK(router.route(3, 28).size() == 4);
  // Along rails all of a NIC; from rail to rail half of it, by the oversubscription.
  CHECK(m.per_host == Approx(50e9));
}

TEST_CASE("rail pod with relays: NVLink to the target's rail instead of the spines") {
  const Topology t = make_topology("rail_pod:nodes=4,gpus=8,relay=yes");
  Router router(t);
  for (std::int64_t flow = 0; flow < 20; ++flow) {
    CHECK(names(t, router.route(3, 28, flow)) ==
          "n0g3-nvswitch0 nvswitch0-n0g4 n0g4-rail4 rail4-n3g4");
    CHECK(names(t, router.route(3, 27, flow)) == "n0g3-rail3 rail3-n3g3");
  }
}

TEST_CASE("where GPUs relay, a hash chooses among spines, not among NICs") {
  const Topology t = make_topology("rail_pod:nodes=4,gpus=4,nodes_per_switch=2,spines=3,relay=yes");
  Router router(t);
  std::set<std::string> ways;
  for (std::int64_t flow = 0; flow < 60; ++flow) ways.insert(names(t, router.route(1, 13, flow)));
  CHECK(ways == std::set<std::string>{"n0g1-rail1.0 rail1.0-spine0 spine0-rail1.1 rail1.1-n3g1",
                                      "n0g1-rail1.0 rail1.0-spine1 spine1-rail1.1 rail1.1-n3g1",
                                      "n0g1-rail1.0 rail1.0-spine2 spine2-rail1.1 rail1.1-n3g1"});
}

TEST_CASE("hosts of a network without switches are switches, too: they hash") {
  const Topology t = make_topology("torus:dims=4x4");
  Router router(t, Routing::ecmp);
  std::set<std::string> ways;
  for (std::int64_t flow = 0; flow < 60; ++flow) ways.insert(names(t, router.route(0, 5, flow)));
  CHECK(ways == std::set<std::string>{"h0-h1 h1-h5", "h0-h4 h4-h5"});
}

TEST_CASE("presets have the figures of their sources") {
  const Metrics dgx = metrics(make_topology("dgx_h100:systems=64"));
  CHECK(dgx.hosts == 512);
  CHECK(dgx.switches == 64 + 16 + 8);  // NVSwitches, leaves, spines
  CHECK(dgx.tiers[0].fastest == 370e9);
  CHECK(metrics(make_topology("dgx_h100:nvlink=450GB/s,systems=2")).tiers[0].fastest == 450e9);
  CHECK(dgx.tiers[1].fastest == 50e9);
  CHECK(dgx.tiers[2].links == 2 * 512);  // 512 cables from leaves to spines
  const Metrics tpu = metrics(make_topology("tpu_v4:dims=8x8x8"));
  CHECK(tpu.links == 6 * 512);
  CHECK(tpu.tiers[0].fastest == 50e9);
  for (const auto& [speed, over] : {std::pair(10, 3.), {25, 1.5}, {100, 3.}}) {
    const Metrics m = metrics(make_topology("ethernet_racks:speed=" + std::to_string(speed)));
    CHECK(m.per_host == Approx(speed * 1e9 / 8 / over));
  }
}

TEST_CASE("the rate between halves follows the order of ranks, the bisection does not") {
  const Topology t = make_topology("fat_tree:k=8,levels=2,oversubscription=4");
  std::vector<Rank> across;  // half of every leaf on each side
  for (const Rank first : {0, 2})
    for (Rank leaf = 0; leaf < 8; ++leaf)
      for (const Rank h : {0, 1}) across.push_back(4 * leaf + first + h);
  CHECK(metrics(t).first_half == Approx(16 * kBandwidth / 4));
  CHECK(metrics(t, across).first_half == Approx(16 * kBandwidth));
  for (const auto& hosts : {std::vector<Rank>{}, across})
    CHECK(metrics(t, hosts).bisection == Approx(16 * kBandwidth / 4));
}

TEST_CASE("routing between all pairs of 1024 hosts is fast and needs little memory") {
  for (const char* spec : {"fat_tree:k=16", "torus:dims=16x8x8", "dragonfly:a=8,p=4,h=4",
                           "leaf_spine:leaves=32,hosts=32", "rail_pod:nodes=128"}) {
    const Topology t = make_topology(spec, 1024);
    for (const Routing routing : {Routing::automatic, Routing::ecmp}) {
      Router router(t, routing);
      Count links = 0;
      for (Rank s = 0; s < 1024; s += 13)
        for (Rank d = 0; d < 1024; d += 3) links += static_cast<Count>(router.route(s, d).size());
      CHECK(links > 2 * 79 * 300);
    }
  }
}
