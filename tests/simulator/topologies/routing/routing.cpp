// Routing algorithms: hand-checked examples, and the properties of all routes.
#include <map>

#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::simulator;
using collectives::contains;

namespace {

std::string way(const char* spec, Rank source, Rank target, Routing routing = Routing::automatic) {
  const Topology t = make_topology(spec);
  return names(t, Router(t, routing).route(source, target));
}

std::vector<std::int32_t> groups_on(const Topology& t, std::span<const LinkId> route) {
  const auto& d = std::get<Dragonfly>(t.structure());
  std::vector<std::int32_t> groups;
  for (const LinkId id : route)
    if (const NodeId n = t.link(id).to; n >= t.hosts())
      if (const std::int32_t g = (n - t.hosts()) / d.routers; groups.empty() || groups.back() != g)
        groups.push_back(g);
  return groups;
}

}  // namespace

TEST_CASE(
    "dimension order takes the first dimension first, in the shorter direction, upwards if equal") {
  CHECK(way("torus:dims=4x3", 0, 6) == "h0-h1 h1-h2 h2-h6");
  CHECK(way("torus:dims=5x3", 0, 8) == "h0-h4 h4-h3 h3-h8");
  CHECK(way("torus:dims=5x3", 0, 14) == "h0-h4 h4-h14");
  CHECK(way("mesh:dims=5x3", 0, 14) == "h0-h1 h1-h2 h2-h3 h3-h4 h4-h9 h9-h14");
  CHECK(way("hypercube:d=4", 5, 10) == "h5-h4 h4-h6 h6-h2 h2-h10");
  CHECK(way("ring:hosts=6", 5, 2) == "h5-h0 h0-h1 h1-h2");
}

TEST_CASE("dimension order never returns to a dimension it has left") {
  const Topology t = make_topology("torus:dims=4x3x5");
  Router router(t);
  for (Rank s = 0; s < t.hosts(); ++s)
    for (Rank d = 0; d < t.hosts(); ++d) {
      std::int32_t last = 0;
      for (const LinkId id : router.route(s, d)) {
        REQUIRE(t.link(id).tier >= last);  // tiers are dimensions
        last = t.link(id).tier;
      }
    }
}

TEST_CASE("d-mod-k, worked out by hand") {
  // Three levels of 2, 2, 4 children and 1, 2, 2 parents: 13 = <1,0,3>, up by 13 mod 2 and 6 mod 2.
  CHECK(way("fat_tree:k=4", 0, 13) ==
        "h0-edge0 edge0-aggr1 aggr1-core1 core1-aggr7 aggr7-edge6 edge6-h13");
  CHECK(way("fat_tree:k=4", 0, 14) ==
        "h0-edge0 edge0-aggr0 aggr0-core2 core2-aggr6 aggr6-edge7 edge7-h14");
  CHECK(way("fat_tree:k=4", 0, 3) == "h0-edge0 edge0-aggr1 aggr1-edge1 edge1-h3");
  CHECK(way("fat_tree:k=4", 0, 1) == "h0-edge0 edge0-h1");
  // Two parents by two cables: 6 mod 4 is spine 0's second cable, 7 mod 4 spine 1's; down by the
  // source's number mod 2.
  CHECK(way("fat_tree:down=4x4,up=1x2,count=1x2", 0, 6) ==
        "h0-leaf0 leaf0-spine0#2 spine0-leaf1 leaf1-h6");
  CHECK(way("fat_tree:down=4x4,up=1x2,count=1x2", 1, 7) ==
        "h1-leaf0 leaf0-spine1#2 spine1-leaf1#2 leaf1-h7");
  CHECK(way("fat_tree:down=4x4,up=1x2,count=1x2", 3, 12) ==
        "h3-leaf0 leaf0-spine0 spine0-leaf3#2 leaf3-h12");
  // Hosts on two leaves.
  CHECK(way("fat_tree:down=2x2,up=2x1", 0, 1) == "h0-leaf1 leaf1-h1");
  CHECK(way("fat_tree:down=2x2,up=2x1", 0, 2) == "h0-leaf0 leaf0-spine0 spine0-leaf2 leaf2-h2");
}

TEST_CASE("d-mod-k is free of contention for every shift on a full fat tree") {
  const Topology t = make_topology("fat_tree:k=6");
  Router router(t);
  for (Rank shift = 1; shift < t.hosts(); ++shift) {
    std::vector<int> load(t.links().size());
    for (Rank s = 0; s < t.hosts(); ++s)
      for (const LinkId id : router.route(s, (s + shift) % t.hosts()))
        REQUIRE(++load[static_cast<std::size_t>(id)] == 1);
  }
}

TEST_CASE("shortest takes the link of lowest number for every flow") {
  const Topology t = make_topology("fat_tree:k=4");
  Router router(t, Routing::shortest);
  const std::string way = "h0-edge0 edge0-aggr0 aggr0-core0 core0-aggr2 aggr2-edge2 edge2-h5";
  for (std::int64_t flow = 0; flow < 10; ++flow) CHECK(names(t, router.route(0, 5, flow)) == way);
}

TEST_CASE("shortest and ecmp prefer lower latency among equal hops") {
  TopologyBuilder builder("two ways", 2, 2, 8);
  builder.add_host("a");
  builder.add_host("b");
  const NodeId slow = builder.add_switch("slow", 1), fast = builder.add_switch("fast", 1);
  for (const Rank h : {0, 1}) {
    builder.add_cable(h, slow, {1e9, 2 * kNanosecond, "host"});
    builder.add_cable(h, fast, {1e9, kNanosecond, "host"});
  }
  const Topology t = std::move(builder).build();
  for (const Routing routing : {Routing::shortest, Routing::ecmp}) {
    Router router(t, routing);
    for (std::int64_t flow = 0; flow < 8; ++flow)
      CHECK(names(t, router.route(0, 1, flow)) == "a-fast fast-b");
  }
}

TEST_CASE("ecmp spreads flows evenly over equal routes, and depends only on the seed") {
  const Topology t = make_topology("fat_tree:k=8");
  Router router(t, Routing::ecmp, 1), same(t, Routing::ecmp, 1), other(t, Routing::ecmp, 2);
  std::map<NodeId, int> cores;
  int different = 0;
  for (std::int64_t flow = 0; flow < 1600; ++flow) {
    const auto route = router.route(0, 100, flow);
    ++cores[t.link(route[2]).to];
    const std::string way = names(t, route);
    REQUIRE(names(t, same.route(0, 100, flow)) == way);
    different += names(t, other.route(0, 100, flow)) == way ? 0 : 1;
  }
  CHECK(cores.size() == 16);
  for (const auto& [core, flows] : cores) CHECK((flows > 60 && flows < 140));  // 100 expected
  CHECK(different > 1400);
}

TEST_CASE("ecmp spreads over parallel cables") {
  const Topology t = make_topology("fat_tree:down=2x2,up=1x1,count=1x3");
  Router router(t, Routing::ecmp);
  std::map<std::string, int> cables;
  for (std::int64_t flow = 0; flow < 300; ++flow)
    ++cables[t.link(router.route(0, 3, flow)[1]).name];
  CHECK(cables.size() == 3);
  for (const auto& [cable, flows] : cables) CHECK((flows > 60 && flows < 140));
}

TEST_CASE("minimal takes one global link between groups, none within a group") {
  for (const char* spec :
       {"dragonfly", "dragonfly:a=4,p=2,h=3,groups=4", "dragonfly:a=2,p=1,h=4,groups=3"}) {
    const Topology t = make_topology(spec);
    INFO(spec);
    Router router(t, Routing::minimal);
    for (Rank s = 0; s < t.hosts(); ++s)
      for (Rank d = 0; d < t.hosts(); ++d) {
        const auto route = router.route(s, d);
        int global = 0;
        for (const LinkId id : route)
          global += t.tiers()[static_cast<std::size_t>(t.link(id).tier)] == "global" ? 1 : 0;
        REQUIRE(global == (t.group_of(s) == t.group_of(d) ? 0 : 1));
        REQUIRE(route.size() <= 5);
      }
  }
}

TEST_CASE("valiant goes through a third group and uses all of them") {
  const Topology t = make_topology("dragonfly");
  Router router(t, Routing::valiant, 5);
  std::map<std::int32_t, int> thirds;
  for (std::int64_t flow = 0; flow < 700; ++flow) {
    const auto route = router.route(0, 70, flow);
    REQUIRE_FALSE(nodes_of(t, route, 0, 70).empty());
    const auto groups = groups_on(t, route);
    REQUIRE(groups.size() == 3);
    REQUIRE(groups.front() == t.group_of(0));
    REQUIRE(groups.back() == t.group_of(70));
    ++thirds[groups[1]];
  }
  CHECK(thirds.size() == 7);  // 9 groups but for source's and target's
  for (const auto& [group, flows] : thirds) CHECK((flows > 60 && flows < 140));
  CHECK(groups_on(t, router.route(0, 5)).size() == 1);
}

TEST_CASE("rejects a routing that does not fit the topology") {
  const auto text = [](const char* spec, Routing routing) {
    return error_text(Blame::usage, [&] {
      const Topology t = make_topology(spec);
      Router router(t, routing);
    });
  };
  CHECK(
      text("ring:hosts=4", Routing::valiant) ==
      "routing 'valiant' does not fit ring:hosts=4 (dragonfly: by way of a third group, by hash of "
      "source, target, flow and seed; not with dead links): use shortest or ecmp");
  CHECK(text("fat_tree", Routing::dimension).find("'dimension' does not fit fat_tree") !=
        std::string::npos);
  CHECK(text("torus", Routing::d_mod_k).find("'d_mod_k' does not fit torus") != std::string::npos);
  CHECK(text("torus", Routing::ecmp) == "no error");
  CHECK(error_text(Blame::usage, [] {
          parse_routing("valliant");
        }).find("did you mean 'valiant'?") != std::string::npos);
}

TEST_CASE("ecmp may have several flows per message, other routings not") {
  const auto error = [](const char* text) {
    return error_text(Blame::usage, [&] { parse_routing(text); });
  };
  CHECK(parse_routing("ecmp").flows == 1);
  CHECK(parse_routing("ecmp:flows=16").routing == Routing::ecmp);
  CHECK(parse_routing("ecmp:flows=16").flows == 16);
  CHECK_THAT(error("ecmp:flows=0"), contains("parameter flows of routing ecmp"));
  CHECK_THAT(error("ecmp:flow=2"), contains("flows"));
  CHECK_THAT(error("spray:flows=2"), contains("routing spray"));
}

TEST_CASE("the error for a missing route names both ends") {
  TopologyBuilder builder("one way", 2, 1, 4);
  builder.add_host("a");
  builder.add_host("b");
  const NodeId s = builder.add_switch("s", 1);
  builder.add_link(0, s, {1e9, Time{}, "link"});
  builder.add_link(s, 1, {1e9, Time{}, "link"});
  const Topology t = std::move(builder).build();
  for (const Routing routing : {Routing::shortest, Routing::ecmp}) {
    Router router(t, routing);
    CHECK(names(t, router.route(0, 1)) == "a-s s-b");
    CHECK(error_text(Blame::usage, [&] { router.route(1, 0); }) ==
          "there is no route from 'b' to 'a' in one way");
  }
}

TEST_CASE("hosts do not forward messages in topologies with switches") {
  // a - x - b - y - c: b is a host between two switches.
  TopologyBuilder builder("two switches", 3, 2, 8);
  for (const char* name : {"a", "b", "c"}) builder.add_host(name);
  const NodeId x = builder.add_switch("x", 1), y = builder.add_switch("y", 1);
  for (const auto& [host, node] : {std::pair(0, x), {1, x}, {1, y}, {2, y}})
    builder.add_cable(host, node, {1e9, Time{}, "link"});
  const Topology t = std::move(builder).build();
  Router router(t);
  CHECK(names(t, router.route(0, 1)) == "a-x x-b");
  CHECK(error_text(Blame::usage, [&] { router.route(0, 2); }).find("no route") !=
        std::string::npos);
}
