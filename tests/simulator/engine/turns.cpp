// Pieces of a vector leave one after another, so that every model pipelines them; channels do not
// wait.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr const char* kModels[] = {"alpha_beta", "loggops", "connections", "packet", "fluid"};

double milliseconds(const char* model, const char* algorithm, Rank ranks, Bytes bytes, int segments,
                    Collective collective = Collective::allreduce) {
  const Problem p{.collective = collective, .ranks = ranks, .elements = bytes / 4};
  const Time finish =
      run(model, {}, find_algorithm(algorithm), p, 4, {.segments = segments}).finish;
  return picoseconds(finish) / 1e9;
}

}  // namespace

TEST_CASE("lanes are pieces of a channel, or channels") {
  const Problem p{.ranks = 6, .elements = 600};
  for (const char* name : {"chain", "double_tree", "bidirectional_ring"}) {
    const Algorithm& algorithm = find_algorithm(name);
    for (const Lane& lane : lanes_of(algorithm, p)) CHECK_FALSE(lane.turn.waits());
    const std::vector<Lane> lanes = lanes_of(algorithm, p, 3);
    REQUIRE(lanes.size() == index(3 * algorithm.lanes));
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      CHECK(lanes[i].turn.channel == lanes[i].problem.lane);
      CHECK(lanes[i].turn.piece == static_cast<int>(i) / algorithm.lanes);
    }
  }
  CHECK(Turn{2, 1}.in_call(64) == Turn{66, 1});
  CHECK(Turn{}.in_call(64) == Turn{});
}

// A broadcast along a line of P ranks in S pieces of n bytes takes (P-1+S-1) n/b, and the latency
// of each of P-1 messages.
TEST_CASE("fluid passes on a piece while the next one is on its way, to the picosecond") {
  const auto network = make_network(find_model("fluid"), {}, 2);
  const Path path = network->shortcuts()->path(0, 1);
  for (const Rank ranks : {2, 3, 9})
    for (const int segments : {1, 2, 7, 32}) {
      const Bytes piece = 1 << 20;
      const Problem p{
          .collective = Collective::broadcast, .ranks = ranks, .elements = piece / 4 * segments};
      const Time passed = to_time(static_cast<double>(piece) / path.rate);
      CHECK(run("fluid", {}, find_algorithm("chain"), p, 4, {.segments = segments}).finish ==
            (ranks + segments - 2) * passed + (ranks - 1) * path.latency);
    }
}

// The sum goes along the line and comes back, so that each port carries both streams:
// (2(P-1) + 2(S-1)) messages of a piece.
TEST_CASE("a chain in pieces takes its closed form in every model") {
  constexpr Rank kRanks = 16;
  constexpr int kPieces = 16;
  constexpr double kBytes = 1 << 26, kRate = 12.5e9;
  const double form = (2 * (kRanks - 1) + 2 * (kPieces - 1)) * kBytes / kPieces / kRate * 1e3;
  for (const char* model : kModels) {
    const double whole = milliseconds(model, "chain", kRanks, 1 << 26, 1);
    const double pieces = milliseconds(model, "chain", kRanks, 1 << 26, kPieces);
    INFO(model << " " << whole << " ms, in pieces " << pieces << " ms, form " << form << " ms");
    CHECK(pieces > 0.99 * form);
    CHECK(pieces < 1.25 * form);
    CHECK(pieces < whole / 6);
  }
  CHECK(std::abs(milliseconds("fluid", "chain", kRanks, 1 << 26, kPieces) / form - 1) < 0.005);
}

// But for what models charge for each of 2(P-1) messages: 5 us under alpha_beta and loggops.
TEST_CASE("pieces of a ring take as long as the whole, in every model") {
  for (const std::string_view model : kModels) {
    const double whole = milliseconds(model.data(), "ring", 8, 1 << 26, 1);
    const double message = model == "alpha_beta" || model == "loggops" ? 0.005 : 0;
    for (const int segments : {4, 16}) {
      const double pieces = milliseconds(model.data(), "ring", 8, 1 << 26, segments);
      INFO(model << " " << whole << " ms, in " << segments << " pieces " << pieces << " ms");
      CHECK(std::abs(pieces - whole - 14 * (segments - 1) * message) < 0.03 * whole);
    }
  }
}
