#include "simulator/bounds/network_bounds.hpp"

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/simulator/bounds/by_force.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Known {
  std::string ratio;  // 1/x*, in units of the slowest bandwidth
  double gb_per_s;    // of an all-gather
  std::int64_t trees;
};

void check(const Topology& topology, const Known& known) {
  INFO(topology.spec());
  const NetworkBounds bounds = network_bounds(topology);
  CHECK(to_string(bounds.all_gather.ratio) == known.ratio);
  CHECK(bounds.all_gather_rate() / 1e9 == Approx(known.gb_per_s).epsilon(1e-12));
  CHECK(bounds.trees_per_root == known.trees);
}

Topology dot(const std::string& spec) { return make_topology(spec); }

}  // namespace

TEST_CASE("the optimum of an all-gather is that of the literature, as a fraction") {
  // In units of a link of 12.5 GB/s: 16 hosts at 1/x* gather at 16 x 12.5 / (1/x*).
  check(dot("ring:hosts=8"), {"7/2", 8 * 12.5 * 2 / 7, 2});
  check(dot("torus:dims=4x4"), {"15/4", 16 * 12.5 * 4 / 15, 4});
  check(dot("torus:dims=3x3"), {"2", 9 * 12.5 / 2, 1});
  check(dot("mesh:dims=4x4"), {"15/2", 16 * 12.5 * 2 / 15, 2});
  check(dot("hypercube:d=3"), {"7/3", 8 * 12.5 * 3 / 7, 3});
  check(dot("crossbar:hosts=8"), {"7", 8 * 12.5 / 7, 1});
  check(dot("fat_tree:k=4"), {"15", 16 * 12.5 / 15, 1});
  for (const std::string taper : {"1", "2", "4"})
    check(dot("leaf_spine:leaves=4,hosts=4,spines=" + std::to_string(4 / std::stoi(taper)) +
              ",oversubscription=" + taper),
          {"15", 16 * 12.5 / 15, 1});
  // Up links of half the speed: 15 in units of a host's link is 15/2 in units of theirs.
  check(dot("leaf_spine:leaves=4,hosts=4,spines=4,oversubscription=2"),
        {"15/2", 16 * 12.5 / 15, 1});
}

TEST_CASE("the optimum of an all-gather on real machines is that of the literature") {
  check(machines::a100_boxes(1), {"7", 8 * 300. / 7, 1});
  check(machines::a100_boxes(2), {"15/13", 16 * 325. / 15, 13});  // units of 25 GB/s
  check(machines::of_matrix("mi250", machines::kMi250, 50), {"7/3", 2400. / 7, 3});
  check(machines::of_matrix("dgx1", machines::kCubeMesh, 25), {"7/6", 8 * 25 * 6. / 7, 6});
  check(machines::ndv2(2), {"8", 25, 1});
  check(machines::ndv2(4), {"24", 32 * 12.5 / 24, 1});
}

TEST_CASE("boxes of A100s are limited by their NICs from three on") {
  CHECK(all_gather_limit(network_bounds(machines::a100_boxes(2)), machines::a100_boxes(2)) ==
        "15 of 16 shards into b0g0 through 2 links, 325 GB/s");
  CHECK(all_gather_limit(network_bounds(machines::a100_boxes(3)), machines::a100_boxes(3)) ==
        "16 of 24 shards into b0g0 ... b0g7 through 8 links, 200 GB/s");
}

TEST_CASE("a cut in words counts no links of hosts that carry nothing") {
  const Topology pod = make_topology("rail_pod:nodes=2,gpus=8");
  const NetworkBounds bounds = network_bounds(pod, std::vector<Rank>{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(bounds.all_gather_rate() == Approx(400e9));
  CHECK(all_gather_limit(bounds, pod) ==
        "4 of 8 shards into n0g0 ... n0g3 through 4 links, 200 GB/s");
  CHECK(reduce_scatter_limit(bounds, pod) ==
        "4 of 8 shards into n1g0 ... n1g3 through 4 links, 200 GB/s");
}

TEST_CASE("of equally tight cuts, the links into the first host limit an all-gather") {
  TopologyBuilder builder("equal links", 3, 1, 3);
  for (int h = 0; h < 3; ++h) builder.add_host("h" + std::to_string(h));
  builder.add_switch("s", 1);
  for (int h = 0; h < 3; ++h)  // no two hosts are interchangeable
    builder.add_cable(h, 3, {.bandwidth = 10e9, .latency = (h + 1) * kMicrosecond});
  const Topology topology = std::move(builder).build();
  CHECK(all_gather_limit(network_bounds(topology), topology) ==
        "2 of 3 shards into h0 through 1 link, 10 GB/s");
}

TEST_CASE("an allreduce of equal shares is optimal where the hosts are alike") {
  for (const char* spec : {"ring:hosts=8", "torus:dims=4x4", "hypercube:d=4", "crossbar:hosts=8",
                           "fat_tree:k=4", "full_mesh:hosts=5", "rail_pod:nodes=4",
                           "leaf_spine:leaves=4,hosts=4,oversubscription=8"}) {
    INFO(spec);
    const NetworkBounds bounds = network_bounds(dot(spec));
    CHECK(bounds.tightest);
    CHECK(bounds.equal_shares == bounds.allreduce.time);
    CHECK(bounds.allreduce_rate() == Approx(bounds.all_gather_rate() / 2));
  }
  for (const int boxes : {1, 2, 3, 4}) {
    const NetworkBounds bounds = network_bounds(machines::a100_boxes(boxes));
    CHECK(bounds.equal_shares == bounds.allreduce.time);
  }
}

TEST_CASE("a host behind a slow link needs the whole vector each way") {
  TopologyBuilder builder("slow host", 5, 1, 10);
  for (int h = 0; h < 5; ++h) builder.add_host("h" + std::to_string(h));
  builder.add_switch("s", 1);
  for (int h = 0; h < 5; ++h) builder.add_cable(h, 5, machines::wire(h == 3 ? 1 : 10));
  const Topology topology = std::move(builder).build();
  const NetworkBounds bounds = network_bounds(topology);
  CHECK(bounds.allreduce_rate() == Approx(1e9));  // not 5 / (2 x 4)
  CHECK(bounds.equal_shares_rate() == Approx(1e9 * 5 / 8));
  CHECK(allreduce_limit(bounds, topology) == "the whole vector into h3, at most 1 GB/s");
}

TEST_CASE("the bound of an allreduce is that of the best of all partitions") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Topology topology = machines::random_network(seed, 6);
    INFO("seed " << seed);
    const NetworkBounds bounds = network_bounds(topology);
    CHECK(bounds.allreduce.time == by_force::allreduce_time(bounds.graph));
    CHECK(bounds.all_gather.ratio == by_force::all_gather_ratio(bounds.graph));
  }
}

TEST_CASE("one slow direction limits a reduce-scatter and an all-gather differently") {
  const LinkFault slow = parse_fault("slow=h1-h0:4");
  const Topology topology = with_faults(dot("ring:hosts=4"), std::vector{slow});
  const NetworkBounds bounds = network_bounds(topology);
  CHECK(bounds.reached);  // all nodes are hosts
  CHECK(all_gather_limit(bounds, topology) == "3 of 4 shards into h0 through 2 links, 15.625 GB/s");
  CHECK(reduce_scatter_limit(bounds, topology) ==
        "3 of 4 shards out of h1 through 2 links, 15.625 GB/s");
}

TEST_CASE("the bounds of hosts that are chosen are those of the network between them") {
  const Topology torus = dot("torus:dims=4x4");
  const std::vector<Rank> corner{0, 1, 4, 5};
  const NetworkBounds bounds = network_bounds(torus, corner);
  CHECK(bounds.hosts() == 4);
  CHECK(to_string(bounds.all_gather.ratio) == "3/4");  // the other hosts only forward
  CHECK_THROWS_WITH(network_bounds(dot("crossbar:hosts=1")),
                    Catch::Contains("one host: a collective sends nothing"));
}

TEST_CASE("latency and roots bound small messages and one-way collectives") {
  const Topology ring = dot("ring:hosts=8,latency=1us");
  const NetworkBounds bounds = network_bounds(ring);
  CHECK(bounds.latency == 4 * kMicrosecond);
  CHECK(least_microseconds(bounds, {.ranks = 8, .elements = 8}, 4) == Approx(4));
  CHECK(least_microseconds(bounds, {.ranks = 8, .elements = 0}, 4) == 0);
  // A broadcast leaves its root by two links of 12.5 GB/s.
  CHECK(least_microseconds(bounds,
                           {.collective = Collective::broadcast, .ranks = 8, .elements = 1 << 20},
                           4) == Approx(4 * 1048576 / 25e3));
}
