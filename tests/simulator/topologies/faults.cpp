#include "simulator/topologies/faults.hpp"

#include "simulator/topologies/analysis/metrics.hpp"
#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Topology broken(const char* spec, const std::vector<std::string>& texts) {
  std::vector<LinkFault> faults;
  for (const std::string& text : texts) faults.push_back(parse_fault(text));
  return with_faults(make_topology(spec), faults);
}

std::string refusal(const char* spec, const std::vector<std::string>& texts) {
  return error_text(Blame::usage, [&] { broken(spec, texts); });
}

const Link& named(const Topology& t, const std::string& name) {
  for (const Link& link : t.links())
    if (link.name == name) return link;
  throw std::runtime_error("no link " + name);
}

}  // namespace

TEST_CASE("a slow link loses bandwidth and keeps its number and the structure") {
  const Topology t = broken("torus:dims=4x4", {"slow=h0-h1:4"});
  CHECK(named(t, "h0-h1").bandwidth == Approx(12.5e9 / 4));
  CHECK(named(t, "h1-h0").bandwidth == Approx(12.5e9));
  CHECK(t.links().size() == 64);
  CHECK(Router(t).routing() == Routing::dimension);
  CHECK(t.spec() == "torus:dims=4x4 slow=h0-h1:4");
  const Topology both = broken("torus:dims=4x4", {"slow=h1--h0:2", "slow=h0-h1:3"});
  CHECK(named(both, "h0-h1").bandwidth == Approx(12.5e9 / 6));
  CHECK(named(both, "h1-h0").bandwidth == Approx(12.5e9 / 2));
}

TEST_CASE("routes avoid a dead link") {
  const Topology t = broken("ring:hosts=6", {"dead=h0-h1"});
  CHECK(t.links().size() == 11);
  Router router(t);
  CHECK(router.routing() == Routing::ecmp);
  CHECK(names(t, router.route(0, 1)) == "h0-h5 h5-h4 h4-h3 h3-h2 h2-h1");
  CHECK(names(t, router.route(1, 0)) == "h1-h0");
  const Topology tree = broken("fat_tree:k=4", {"dead=edge0--aggr0"});
  Router around(tree);
  for (Rank h = 0; h < 16; ++h) {
    for (const LinkId id : around.route(0, h)) CHECK(tree.link(id).name != "edge0-aggr0");
    CHECK_FALSE(nodes_of(tree, around.route(0, h), 0, h).empty());
    CHECK_FALSE(nodes_of(tree, around.route(h, 0), h, 0).empty());
  }
}

TEST_CASE("rejects a structured routing with dead links") {
  const Topology t = broken("ring:hosts=6", {"dead=h0-h1"});
  CHECK(error_text(Blame::usage, [&] { Router router(t, Routing::dimension); }) ==
        "routing 'dimension' does not fit ring:hosts=6 dead=h0-h1 (grids: one dimension after the "
        "other, the shorter way round; not with dead links): use shortest or ecmp");
}

TEST_CASE("the error for disconnected hosts names the dead links on the minimum cut") {
  CHECK(
      refusal("crossbar:hosts=6", {"dead=h2-s0"}) ==
      "crossbar:hosts=6 is disconnected: h2 cannot reach h0; dead links on the minimum cut: h2-s0");
  CHECK(refusal("ring:hosts=8", {"dead=h1-h2", "dead=h5--h6", "dead=h2-h1"}) ==
        "ring:hosts=8 is disconnected: h2, h3, h4 and 1 more cannot reach h0; dead links on the "
        "minimum cut: h2-h1, h5-h6");
  // Of several hosts, the cut is that of the first.
  CHECK(refusal("crossbar:hosts=6", {"dead=h2-s0", "dead=h4-s0"}) ==
        "crossbar:hosts=6 is disconnected: h2, h4 cannot reach h0; dead links on the minimum cut: "
        "h2-s0");
  // A dead link within one side is not on the cut.
  CHECK(refusal("fat_tree:k=4", {"dead=h4-edge2", "dead=edge0--aggr0"})
            .find("h4 cannot reach h0; dead links on the minimum cut: h4-edge2") !=
        std::string::npos);
}

TEST_CASE("errors in faults name the text") {
  CHECK(refusal("ring:hosts=4", {"dead=h0-h2"})
            .find("ring:hosts=4 has no link 'h0-h2', did you mean") == 0);
  const auto text = [](const char* fault) {
    return error_text(Blame::usage, [&] { parse_fault(fault); });
  };
  const std::string hint = "write dead=LINK or slow=LINK:4 (a quarter of the bandwidth)";
  for (const char* fault : {"", "h0-h1", "dead=", "slow=h0-h1", "slow=:4", "broken=h0-h1"})
    CHECK(text(fault) == "unknown fault '" + std::string(fault) + "': " + hint);
  CHECK(text("slow=h0-h1:0.5") ==
        "fault 'slow=h0-h1:0.5' would make the link faster: give 1 or more");
  for (const char* factor : {"0", "-1", "nan", "x", "2x", ""})
    CHECK(text(("slow=h0-h1:" + std::string(factor)).c_str()).find("is not a number above zero") !=
          std::string::npos);
  CHECK(refusal("ring:hosts=4", {"slow=h0-h1:1e300"}).find("link 'h0-h1' has a bandwidth of") == 0);
}
