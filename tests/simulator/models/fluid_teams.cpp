// Transfers through switches that add, in the fluid model: hand-solved times, counts, refusals, and
// published measurements of NVLS.
#include "algorithms/teams.hpp"
#include "algorithms/verify/count.hpp"
#include "simulator/analysis/critical_path.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/import/file.hpp"
#include "simulator/topologies/team_trees.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::shared_ptr<const Fabric> fabric_of(Topology topology, Rank ranks) {
  std::vector<Rank> hosts(index(ranks));
  for (Rank r = 0; r < ranks; ++r) hosts[index(r)] = r;
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), Routing::automatic, 0, std::move(hosts)});
}

struct Run {
  SimulationResult result;
  Counts counted;
  Trace trace;
  std::vector<LinkLoad> loads;
};

// One byte per element.
Run run_on(const std::shared_ptr<const Fabric>& fabric, std::string_view algorithm, Count elements,
           int segments = 1) {
  const auto ranks = static_cast<Rank>(fabric->host_of.size());
  const auto groups = groups_of(*fabric);
  const Problem p{.ranks = ranks,
                  .elements = elements,
                  .groups = groups.get(),
                  .switches = switch_sums(*fabric, groups.get())};
  const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
  Run run;
  run.result = simulate(find_algorithm(algorithm), p, 1, *network,
                        {.segments = segments, .trace = &run.trace});
  run.counted = count(find_algorithm(algorithm), p, segments);
  run.loads = network->loads(run.result.finish);
  return run;
}

Run run_on(const std::string& topology, Rank ranks, std::string_view algorithm, Count elements,
           int segments = 1) {
  return run_on(fabric_of(make_topology(topology, ranks), ranks), algorithm, elements, segments);
}

constexpr Time nanoseconds(Count n) { return n * kNanosecond; }

// A byte takes a nanosecond on a link, and a transfer 1 us besides.
const char* const kStar = "crossbar:bandwidth=1GB/s,latency=500ns,aggregate=yes";

}  // namespace

TEST_CASE("with sharp a vector goes up and down once, whatever the number of ranks") {
  for (const Rank ranks : {2, 4, 8})
    CHECK(run_on(kStar, ranks, "sharp", 4000).result.finish == nanoseconds(1000 + 4000));
  // Over two levels: four latencies, and still each link once.
  const char* const tree =
      "leaf_spine:leaves=2,hosts=2,spines=1,bandwidth=1GB/s,latency=500ns,"
      "oversubscription=2,aggregate=yes";
  const Run run = run_on(tree, 4, "sharp", 4000);
  CHECK(run.result.finish == nanoseconds(2000 + 4000));
  for (const LinkLoad& load : run.loads) CHECK(load.bytes == 4000);
}

TEST_CASE("with nvls a rank's link carries its vector and its share, each way") {
  // One piece: up for the sums, then down for the results.
  CHECK(run_on(kStar, 4, "nvls:pieces=1", 4000).result.finish == nanoseconds(2 * (1000 + 4000)));
  // Four pieces: the results of one go down while the next is added.
  const Run run = run_on(kStar, 4, "nvls:pieces=4", 4000);
  CHECK(run.result.finish == nanoseconds(5 * 1000 + 1000 + 3 * 1250 + 1000));
  for (const LinkLoad& load : run.loads) CHECK(load.bytes == 5000);
}

TEST_CASE("teams of groups and of places take trees of their own") {
  // Two nodes of two GPUs. NVLink 2 bytes/ns, NICs and rails 1 byte/ns.
  const char* const pod =
      "rail_pod:nodes=2,gpus=2,spines=1,nvlink=2GB/s,nic=8Gbps,"
      "nvlink_latency=0,latency=0,nvls=yes,sharp=yes";
  // Shares of 2,000 bytes: reduced in 2,000 ns, since 4,000 bytes go up; over the rail in 2,000;
  // copied to all in 2,000.
  CHECK(run_on(pod, 4, "hierarchical:within=nvls,across=sharp", 4000).result.finish ==
        nanoseconds(6000));
  // Without SHARP, by two ranks of a double tree: up and down.
  CHECK(run_on(pod, 4, "nvls_tree", 4000).result.finish >= nanoseconds(2000 + 2000 + 2000));
  // Direct exchange in the node: 2,000 bytes at 2 bytes/ns.
  CHECK(run_on(pod, 4, "collnet_direct", 4000).result.finish == nanoseconds(1000 + 2000 + 1000));
  CHECK(run_on(pod, 4, "collnet_chain", 4000).result.finish == nanoseconds(1000 + 2000 + 1000));
}

TEST_CASE("slots of switchml limit the rate to a window per round trip") {
  // 10 chunks of 100 bytes in 2 slots: 100 ns on the link, then 1 us until the next one.
  CHECK(run_on(kStar, 4, "switchml:slots=2,chunk=100", 1000).result.finish ==
        nanoseconds(1000 + 200 + 4 * 1100));
  // 20 slots keep the links busy.
  CHECK(run_on(kStar, 4, "switchml:slots=20,chunk=100", 10'000).result.finish ==
        nanoseconds(1000 + 10'000));
}

TEST_CASE("a switch adds at its own rate, and with its latency") {
  const Topology file = parse_topology(R"(graph {
    a [kind=host]; b [kind=host]; c [kind=host];
    s [kind=switch, aggregate=yes, aggregate_bandwidth="500MB/s", aggregate_latency="200ns"];
    a -- s [bandwidth="1GB/s", latency="1us"]; b -- s [bandwidth="1GB/s", latency="1us"];
    c -- s [bandwidth="1GB/s", latency="1us"];
  })",
                                       "net.dot");
  const auto fabric = fabric_of(file, 3);
  CHECK(run_on(fabric, "sharp", 3000).result.finish == nanoseconds(2000 + 200 + 6000));
  // Messages do not pass through what adds: a ring's round of 1,000 bytes takes 1,000 ns.
  CHECK(run_on(fabric, "ring", 3000).result.finish == nanoseconds(4 * (2000 + 1000)));
}

TEST_CASE("what is simulated is what is counted, and a trace explains the time") {
  for (const char* name : {"nvls", "nvls:pieces=3", "sharp", "switchml:slots=3,chunk=50",
                           "nvls_tree", "collnet_direct", "collnet_chain"})
    for (const int segments : {1, 3}) {
      INFO(name << ", segments " << segments);
      const Run run = run_on("rail_pod:nodes=2,gpus=4,nvls=yes,sharp=yes", 8, name, 1003, segments);
      CHECK(run.result.sent == run.counted.all);
      const CriticalPath path = critical_path(run.trace, run.result.finish);
      REQUIRE_FALSE(path.steps.empty());
      CHECK(path.steps.front().begin == Time{});
      CHECK(path.steps.back().end == run.result.finish);
    }
}

TEST_CASE("models whose messages have two ends refuse transfers of teams") {
  const Problem p{.ranks = 4, .elements = 4, .switches = {true, true, true}};
  for (const char* model : {"alpha_beta", "loggops", "packet", "connections"}) {
    const auto network = make_network(find_model(model), {}, 4);
    CHECK_THROWS_WITH(simulate(find_algorithm("sharp"), p, 4, *network),
                      "sharp adds in switches, but in this model a message goes from one rank to "
                      "one other: use model fluid, without random delays");
  }
  const auto plain = make_network(find_model("fluid"), {}, 4);
  CHECK_THROWS_WITH(simulate(find_algorithm("sharp"), p, 4, *plain),
                    "crossbar:hosts=4: no tree of switches that add joins the 4 ranks of a team");
}

TEST_CASE("NVLS on 5 to 8 H100 is within 3% of published bandwidths, from another table's rate") {
  // NVIDIA/nccl issue 1455. The rate of the switches is from AWS's table (dgx_h100.cpp).
  const double measured[] = {420, 440, 460, 480};  // busbw, GB/s
  constexpr Count kBytes = Count{8} << 30;
  for (Rank ranks = 5; ranks <= 8; ++ranks) {
    const auto fabric = fabric_of(make_topology("dgx_h100:systems=1", 8), ranks);
    const Problem p{.ranks = ranks,
                    .elements = kBytes / 4,
                    .switches = switch_sums(*fabric, groups_of(*fabric).get())};
    const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
    const Time time = simulate(find_algorithm("nvls"), p, 4, *network).finish;
    const double busbw = 2. * (ranks - 1) / ranks * double(kBytes) / picoseconds(time) * 1e3;
    INFO(ranks << " GPUs: " << busbw);
    CHECK(std::abs(busbw / measured[ranks - 5] - 1) < 0.03);
  }
}
