// What other jobs send over the same links, under the fluid model: cases that are solved by hand.
#include "simulator/topologies/fabric.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// 1 byte per nanosecond; two links of 500 ns make 1 us of latency.
const FabricSpec kFiveHosts{.topology = "crossbar:hosts=5,bandwidth=1GB/s,latency=500ns"};

// One message of 10'000 bytes from rank 0 to rank 1, alone: it flows from 1 us to 11 us.
Time beside(const std::vector<HostStream>& streams, Time start = {}) {
  const auto network = make_network(find_model("fluid"), {}, 2, build_fabric(kFiveHosts, 2));
  REQUIRE(network->add_streams(streams));
  const std::vector<Time> starts{start, start};
  const SimulationResult result = simulate(
      find_algorithm("tree"), {.collective = Collective::broadcast, .ranks = 2, .elements = 10'000},
      1, *network, {.starts = starts});
  if (!streams.empty()) CHECK(result.engine == EngineKind::events);
  for (const LinkLoad& load : network->loads(result.finish))  // without what others sent
    CHECK(load.bytes == (load.name == "h0-s0" || load.name == "s0-h1" ? 10'000 : 0));
  return result.finish;
}

}  // namespace

TEST_CASE("streams of other jobs take their max-min share of the links that they cross") {
  CHECK(beside({}) == 11_us);
  CHECK(beside({{2, 1}}) == 21_us);          // to the same host
  CHECK(beside({{0, 2}}) == 21_us);          // from the same host
  CHECK(beside({{0, 1}}) == 21_us);          // the same route
  CHECK(beside({{0, 1}, {0, 1}}) == 31_us);  // twice
  CHECK(beside({{2, 1}, {3, 1}}) == 31_us);
  CHECK(beside({{1, 0}}) == 11_us);  // the other direction
  CHECK(beside({{2, 3}}) == 11_us);
  // The stream from 2 to 1 has a third of the link from 2, so two thirds of the link to 1 remain.
  CHECK(beside({{2, 1}, {2, 3}, {2, 4}}) == 16_us);
  CHECK(beside({{2, 1}}, 7_us) == 28_us);
}

TEST_CASE("messages of a route end one after another beside an endless stream of it") {
  // Two of 5'000 bytes at once: each has a third of the link.
  const auto network = make_network(find_model("fluid"), {}, 2, build_fabric(kFiveHosts, 2));
  REQUIRE(network->add_streams({{0, 1}}));
  const SimulationResult result =
      simulate(find_algorithm("chain"),
               {.collective = Collective::broadcast, .ranks = 2, .elements = 10'000}, 1, *network,
               {.segments = 2});
  CHECK(result.finish == 21_us);
}

TEST_CASE("which models know what other jobs send") {
  for (const Model& model : models()) {
    const auto network = make_network(model, {}, 2);
    CHECK(network->add_streams({{0, 1}}) == (model.name == "fluid" || model.name == "connections"));
  }
}
