// The fluid model equals alpha_beta without shared links, and hand-solved cases with a shared link.
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Time finish(const Algorithm& algorithm, const Problem& problem, const FabricSpec& fabric,
            const Values& values = {}) {
  const auto network = make_network(find_model("fluid"), values, problem.ranks, fabric);
  return simulate(algorithm, problem, 1, *network).finish;
}

// 1 byte per nanosecond; two links of 500 ns make 1 us of latency.
const FabricSpec kCrossbar{.topology = "crossbar:bandwidth=1GB/s,latency=500ns"};
const Values kSame{{"alpha", picoseconds(kMicrosecond)}, {"beta", 1000}, {"gamma", 30}};

}  // namespace

TEST_CASE("fluid equals alpha_beta on a crossbar with one message per direction and rank") {
  for (const std::string_view name : {"ring", "round_robin", "butterfly"})
    for (const Rank p : {2, 4, 8, 32}) {
      const Algorithm& algorithm = find_algorithm(name);
      const Problem problem{.ranks = p, .elements = 1000 * Count{p}};
      INFO(name << " on " << p);
      CHECK(finish(algorithm, problem, kCrossbar, {{"gamma", 30}}) ==
            run("alpha_beta", kSame, algorithm, problem).finish);
    }
}

TEST_CASE("the flows of a gather share one port and take the latency once") {
  const Problem problem{.collective = Collective::reduce, .ranks = 5, .elements = 1000};
  // 4 flows at a quarter of the port each: 1 us + 4 x 1000 bytes at 1 byte/ns.
  CHECK(finish(find_algorithm("master_worker"), problem, kCrossbar) ==
        1 * kMicrosecond + 4000 * kNanosecond);
  // The envelope is carried, too.
  CHECK(finish(find_algorithm("master_worker"), problem, kCrossbar, {{"envelope", 16}}) ==
        1 * kMicrosecond + 4 * 1016 * kNanosecond);
  // No flow may use more than a tenth of the port: the cap limits them, not the port.
  CHECK(finish(find_algorithm("master_worker"), problem, kCrossbar, {{"flow_beta", 10000}}) ==
        1 * kMicrosecond + 10000 * kNanosecond);
}

TEST_CASE("the link loads are the sent bytes, once per link of a route") {
  const Problem problem{.ranks = 8, .elements = 8000};
  const auto network = make_network(find_model("fluid"), {}, 8, kCrossbar);
  const SimulationResult outcome = simulate(find_algorithm("ring"), problem, 1, *network);
  double carried = 0;
  for (const LinkLoad& load : network->loads(outcome.finish)) {
    carried += load.bytes;
    CHECK(load.utilization <= 1);
  }
  CHECK(carried == Approx(2. * static_cast<double>(outcome.sent.elements)));
}

TEST_CASE("the error for a message of more than 11 days names the link") {
  const FabricSpec slow{.topology = "crossbar:bandwidth=8bps,latency=0"};
  const Problem problem{.collective = Collective::broadcast, .ranks = 2, .elements = 1'000'000};
  CHECK(finish(find_algorithm("tree"), problem, slow) ==
        1'000'000 * kSecond);  // exactly the longest
  const auto text = error_text(Blame::usage, [&] {
    finish(find_algorithm("tree"), problem, slow, {{"envelope", 16}});
  });
  CHECK(text ==
        "a message of 1000016 bytes would take over 11 days at its share of link 'h0-s0' (1 bytes "
        "per second): use a smaller size or a faster network");
}

TEST_CASE("models without links reject a topology") {
  CHECK_THROWS_AS(make_network(find_model("alpha_beta"), {}, 4, kCrossbar), Error);
}

TEST_CASE("rabenseifner takes as long as SimGrid's SMPI says of its own, rab") {
  // smpi/allreduce:rab on 16 ranks of a crossbar of 12.5 GB/s and 5 us, 1 MiB: 197.297 us. SMPI
  // adds 16 bytes to each message: 8 messages take 8 x (5 us + 16 B), and each rank sends 2 x 15/16
  // MiB.
  const FabricSpec crossbar{.topology = "crossbar:bandwidth=12.5GB/s,latency=2500ns"};
  const Problem problem{.ranks = 16, .elements = 1 << 20};
  const double us =
      microseconds(finish(find_algorithm("rabenseifner"), problem, crossbar, {{"envelope", 16}}));
  CHECK(us == Approx(197.297).epsilon(0.001));
  CHECK(us == Approx(8 * (5 + 16 / 12.5e3) + 2 * 15. / 16 * (1 << 20) / 12.5e3).epsilon(1e-6));
  CHECK(microseconds(finish(find_algorithm("rabenseifner"), problem, crossbar)) ==
        Approx(us - 8 * 16 / 12.5e3).epsilon(1e-6));
}
