// Links that fail for a while, under the fluid model: cases that are solved by hand.
#include "simulator/link_history.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// 1 byte per nanosecond; two links of 500 ns make 1 us of latency.
const FabricSpec kSwitch{.topology = "crossbar:bandwidth=1GB/s,latency=500ns"};

struct Failure {
  const char* link;
  Time begin{}, length{}, period{};
  double share = 0;
};

Time finish(const Algorithm& algorithm, const Problem& p, const std::vector<Failure>& failures,
            std::span<const Time> starts = {}) {
  const auto fabric = build_fabric(kSwitch, p.ranks);
  const auto network = make_network(find_model("fluid"), {}, p.ranks, fabric);
  std::vector<LinkFlap> flaps;
  for (const Failure& f : failures)
    for (const LinkId link : links_named(fabric->topology, f.link))
      flaps.push_back({link, f.begin, f.length, f.period, f.share});
  REQUIRE(network->flap_links(flaps));
  const SimulationResult result = simulate(algorithm, p, 1, *network, {.starts = starts});
  CHECK(result.engine == EngineKind::events);
  double carried = 0;
  for (const LinkLoad& load : network->loads(result.finish)) carried += load.bytes;
  CHECK(carried == Approx(2. * static_cast<double>(result.sent.elements)));
  return result.finish;
}

// One message of 10'000 bytes from rank 0 to rank 1: it flows from 1 us to 11 us.
Time one_message(const std::vector<Failure>& failures, std::span<const Time> starts = {}) {
  return finish(find_algorithm("tree"),
                {.collective = Collective::broadcast, .ranks = 2, .elements = 10'000}, failures,
                starts);
}

// Two messages of 10'000 bytes to rank 0, at half of its port each: from 1 us to 21 us.
Time two_messages(const std::vector<Failure>& failures) {
  return finish(find_algorithm("master_worker"),
                {.collective = Collective::reduce, .ranks = 3, .elements = 10'000}, failures);
}

}  // namespace

TEST_CASE("a message waits for a link that is down, and flows on when it is back") {
  CHECK(one_message({{"h0-s0", 50_us, 3_us}}) == 11_us);  // after it
  CHECK(one_message({{"h0-s0", 11_us, 3_us}}) == 11_us);  // from its end on
  CHECK(one_message({{"h0-s0", 0_us, 1_us}}) == 11_us);   // until it flows
  CHECK(one_message({{"s0-h0", 2_us, 3_us}}) == 11_us);   // the other direction
  CHECK(one_message({{"h0-s0", 2_us, 3_us}}) == 14_us);
  CHECK(one_message({{"h0-s0", 2_us, 20'000 * kSecond}}) == 11_us + 20'000 * kSecond);
  CHECK(one_message({{"s0-h1", 2_us, 3_us}}) == 14_us);
  CHECK(one_message({{"h0--s0", 2_us, 3_us}}) == 14_us);
  CHECK(one_message({{"h0-s0", 0_us, 3_us}}) == 13_us);  // before it flows, and then
}

TEST_CASE("a link that keeps a share of its bandwidth delays a message by the rest") {
  CHECK(one_message({{.link = "h0-s0", .begin = 2_us, .length = 3_us, .share = 0.5}}) == 12'500_ns);
  CHECK(one_message({{.link = "h0-s0", .begin = 2_us, .length = 30_us, .share = 0.5}}) == 20_us);
  CHECK(one_message({{.link = "h0-s0", .begin = 2_us, .length = 3_us, .share = 1}}) == 11_us);
  // At this rate it would take longer than a simulated time may be.
  CHECK(one_message({{.link = "h0-s0", .begin = 2_us, .length = 3_us, .share = 1e-12}}) == 14_us);
}

TEST_CASE("several failures of one route") {
  CHECK(one_message({{"h0-s0", 2_us, 3_us}, {"h0-s0", 6_us, 1_us}}) == 15_us);
  CHECK(one_message({{"h0-s0", 2_us, 3_us}, {"s0-h1", 4_us, 3_us}}) == 16_us);  // 2 to 7 us
  // Of 10 us, 1 is over at 2 us, 1 more at 4 us, 1/2 more at 6 us, 1 more at 8 us.
  CHECK(one_message({{.link = "h0-s0", .begin = 2_us, .length = 4_us, .share = 0.5},
                     {.link = "h0-s0", .begin = 4_us, .length = 4_us, .share = 0.5}}) == 14'500_ns);
  // Down for the first of every 4 us: 3 us are over at 4 us, 6 at 8 us, 9 at 12 us.
  CHECK(one_message({{"h0-s0", 0_us, 1_us, 4_us}}) == 14_us);
}

TEST_CASE("failures pass while no message is on its way") {
  const std::vector<Time> late{0_us, 100_us};
  CHECK(one_message({{"h0-s0", 50_us, 10_us}}, late) == 111_us);
  CHECK(one_message({{"h0-s0", 50_us, 53_us}}, late) == 113_us);
  CHECK(one_message({{"h0-s0", 2_us, 3_us, 100_us}}, late) == 114_us);  // 102 to 105 us
}

TEST_CASE("other messages take what a failing link leaves of a shared one") {
  CHECK(two_messages({}) == 21_us);
  // Rank 2 sends 4'000 bytes alone; then both share, until rank 2 has sent the other 6'000.
  CHECK(two_messages({{"h1-s0", 0_us, 5_us}}) == 21_us);
  // Of the shared link itself 3 of 4 us are lost.
  CHECK(two_messages({{.link = "s0-h0", .begin = 1_us, .length = 4_us, .share = 0.25}}) == 24_us);
  // Both have sent 7'000 bytes at 15 us. Rank 2 ends at 18 us, and rank 1 continues at 30 us.
  CHECK(two_messages({{"h1-s0", 15_us, 15_us}}) == 33_us);
  // A tenth of the link is less than rank 1's half of the shared one: at 11 us rank 1 has sent
  // 1'000 bytes, and rank 2 has sent 9'000. Then both share: rank 2 ends at 13 us, rank 1 has 8'000
  // left.
  CHECK(two_messages({{.link = "h1-s0", .begin = 0_us, .length = 11_us, .share = 0.1}}) == 21_us);
}

TEST_CASE("only the fluid model has links that fail") {
  for (const Model& model : models()) {
    const auto network = make_network(model, {}, 2);
    CHECK(network->flap_links({{.link = 0, .length = 1_us}}) == (model.name == "fluid"));
  }
}
