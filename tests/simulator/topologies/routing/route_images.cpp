// Permutations of hosts that map routes onto routes: what is found is compared with the routes of
// all pairs, and what is not one is refused.
#include "simulator/topologies/routing/route_images.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::optional<std::vector<LinkId>> images_of(const Topology& topology, std::vector<Rank> image,
                                             Routing routing = Routing::automatic) {
  image.resize(index(topology.hosts()), RouteImages::kUnused);
  const Router router(topology, routing);
  return RouteImages(topology, router.links(), router.routing()).of(image);
}

// Whether the images are a proof: of the routes of all pairs, link by link.
bool maps_routes(const Topology& topology, const std::vector<Rank>& image,
                 const std::vector<LinkId>& links) {
  Router router(topology);
  for (Rank a = 0; a < static_cast<Rank>(image.size()); ++a)
    for (Rank b = 0; b < static_cast<Rank>(image.size()); ++b) {
      const auto there = router.route(a, b);
      std::vector<LinkId> expected;
      for (const LinkId link : there) {
        expected.push_back(links[index(link)]);
        const Link &from = topology.link(link), &to = topology.link(expected.back());
        if (from.bandwidth != to.bandwidth || from.latency != to.latency) return false;
      }
      const auto route = router.route(image[index(a)], image[index(b)]);
      if (!std::equal(route.begin(), route.end(), expected.begin(), expected.end())) return false;
    }
  return true;
}

std::vector<Rank> shift(Rank ranks, Rank by) {
  std::vector<Rank> image;
  for (Rank r = 0; r < ranks; ++r) image.push_back((r + by) % ranks);
  return image;
}

std::vector<Rank> exclusive_or(Rank ranks, Rank with) {
  std::vector<Rank> image;
  for (Rank r = 0; r < ranks; ++r) image.push_back(r ^ with);
  return image;
}

// Adds to the first of two digits only.
std::vector<Rank> shift_within(Rank ranks, Rank size, Rank by) {
  std::vector<Rank> image;
  for (Rank r = 0; r < ranks; ++r) image.push_back(r / size * size + (r % size + by) % size);
  return image;
}

// Returns by how much the shifts are that were found among all of these.
std::vector<Rank> found(const std::string& spec, std::vector<Rank> (*permutation)(Rank, Rank),
                        Rank ranks) {
  const Topology topology = make_topology(spec, ranks);
  std::vector<Rank> all;
  for (Rank by = 1; by < ranks; ++by) {
    const std::vector<Rank> image = permutation(ranks, by);
    const auto links = images_of(topology, image);
    INFO(spec << ", " << ranks << " ranks, by " << by);
    if (links) {
      REQUIRE(maps_routes(topology, image, *links));
      all.push_back(by);
    }
  }
  return all;
}

std::vector<Rank> multiples(Rank of, Rank below) {
  std::vector<Rank> all;
  for (Rank by = of; by < below; by += of) all.push_back(by);
  return all;
}

}  // namespace

TEST_CASE("every shift that is found maps the routes of all pairs") {
  CHECK(found("crossbar", shift, 12) == multiples(1, 12));
  CHECK(found("full_mesh", shift, 9) == multiples(1, 9));
  CHECK(found("full_mesh", shift, 2) == multiples(1, 2));
  CHECK(found("ring", shift, 10) == multiples(1, 10));
  CHECK(found("torus:dims=4x5", shift, 20) == multiples(4, 20));
  CHECK(found("torus:dims=3x2x4", shift, 24) == multiples(6, 24));
  CHECK(found("hypercube", shift, 16) == multiples(8, 16));
  CHECK(found("hypercube", exclusive_or, 16) == multiples(1, 16));
  CHECK(found("torus:dims=4x4", exclusive_or, 16) == std::vector<Rank>{2, 8, 10});
  CHECK(found("leaf_spine:hosts=4,leaves=3,spines=2", shift, 12) == multiples(4, 12));
  CHECK(found("leaf_spine:hosts=4,leaves=4,spines=2", exclusive_or, 16) == multiples(1, 16));
  CHECK(found("fat_tree:down=4x4,up=1x2,count=1x2", exclusive_or, 16) == multiples(1, 16));
  CHECK(found("fat_tree:down=4x3,up=2x4,count=1x3", shift, 12) == std::vector<Rank>{});
  CHECK(found("fat_tree:down=2x2x3,up=2x2x1,count=1x1x1", shift, 12) == multiples(4, 12));
  CHECK(found("fat_tree:down=2x4x2,up=1x2x2,count=2x1x1", exclusive_or, 16) == multiples(1, 16));
}

TEST_CASE("shifts of ranks on some of the hosts") {
  CHECK(found("crossbar:hosts=16", shift, 12) == multiples(1, 12));
  CHECK(found("leaf_spine:hosts=4,leaves=8,spines=2", shift, 12) == multiples(4, 12));
  CHECK(found("torus:dims=4x5", shift, 12) ==
        std::vector<Rank>{});  // the third row is not the last
  CHECK(found("leaf_spine:hosts=8,leaves=2,spines=2", shift, 12) == std::vector<Rank>{});
}

TEST_CASE("shifts within leaves, and by whole leaves, of spines that do not divide them") {
  const Topology even = make_topology("leaf_spine:hosts=6,leaves=2,spines=3"),
                 odd = make_topology("leaf_spine:hosts=6,leaves=2,spines=4");
  for (Rank by = 1; by < 6; ++by) {
    const auto links = images_of(even, shift_within(12, 6, by));
    REQUIRE(links);
    CHECK(maps_routes(even, shift_within(12, 6, by), *links));
    CHECK(!images_of(odd, shift_within(12, 6, by)));
  }
  CHECK(images_of(odd, shift(12, 6)));  // 6 hosts on, the spines are 2 on
}

TEST_CASE("one slower link, or one with another latency, ends a symmetry") {
  for (const char* spec : {"crossbar:hosts=8", "ring:hosts=8", "torus:dims=4x2", "hypercube:d=3",
                           "full_mesh:hosts=8", "leaf_spine:hosts=4,leaves=2,spines=2"}) {
    const Topology whole = make_topology(spec);
    CHECK(images_of(whole, shift(8, 4)));
    const LinkFault slow = parse_fault("slow=" + whole.links()[3].name + ":2");
    INFO(spec);
    CHECK(!images_of(with_faults(whole, std::vector{slow}), shift(8, 4)));
  }
  const Topology ring = make_topology("ring:hosts=4");
  TopologyBuilder late(ring, "late");
  for (const Link& link : ring.links())
    late.add_link(link.from, link.to,
                  {link.bandwidth, link.name == "h0-h1" ? Time{7} : link.latency, "link"},
                  link.name);
  late.structure(ring.structure());
  CHECK(!images_of(std::move(late).build(), shift(4, 1)));
}

TEST_CASE("routes that a hash or a table chooses have no symmetry") {
  CHECK(!images_of(make_topology("leaf_spine:hosts=4,leaves=2,spines=2"), shift(8, 4),
                   Routing::ecmp));
  CHECK(!images_of(make_topology("torus:dims=4x2"), shift(8, 4), Routing::ecmp));
  CHECK(!images_of(make_topology("torus:dims=4x2"), shift(8, 4), Routing::shortest));
  const Topology dragonfly = make_topology("dragonfly:a=2,p=2,h=1");
  CHECK(!images_of(dragonfly, shift(12, 4)));
  CHECK(!images_of(dragonfly, shift(12, 4), Routing::valiant));
  CHECK(!images_of(make_topology("rail_pod:nodes=2"), shift(16, 8)));
  CHECK(!images_of(make_topology("mesh:dims=4x2"), shift(8, 4)));
  CHECK(images_of(make_topology("mesh:dims=4x2"), shift(8, 0)));  // which moves nothing
  const Topology whole = make_topology("ring:hosts=8");
  CHECK(!images_of(with_faults(whole, std::vector{parse_fault("dead=h0--h1")}), shift(8, 4)));
}

TEST_CASE("other permutations than shifts have no symmetry") {
  std::vector<Rank> turned = shift(8, 0), swapped = shift(8, 0);
  std::reverse(turned.begin(), turned.end());
  std::swap(swapped[1], swapped[2]);
  CHECK(!images_of(make_topology("ring:hosts=8"), turned));  // half way round, routes go up
  CHECK(!images_of(make_topology("ring:hosts=8"), swapped));
  CHECK(images_of(make_topology("crossbar:hosts=8"), swapped));
  CHECK(!images_of(make_topology("leaf_spine:hosts=2,leaves=4,spines=2"), swapped));
}
