// A rank that comes late: StragglAR beside a ring.
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr double kVector = 67'108.864;  // us, of 64 MiB at 1 GB/s

// The time from the arrival of rank 3, in times of the vector on its link, if it comes `late` such
// times after the others.
double after_arrival(const char* spec, Rank ranks, double late, int segments = 1) {
  const FabricSpec crossbar{.topology = "crossbar:bandwidth=1GB/s,latency=500ns"};
  std::vector<Time> starts(index(ranks));
  starts[3] = Time{static_cast<std::int64_t>(late * kVector * 1e6)};
  const auto network = make_network(find_model("fluid"), {}, ranks, crossbar);
  const Problem p{.ranks = ranks, .elements = Count{1} << 24};
  const SimulationResult result =
      simulate(find_algorithm(spec), p, 4, *network, {.segments = segments, .starts = starts});
  return (microseconds(result.finish) - late * kVector) / kVector;
}

}  // namespace

TEST_CASE("a late rank: with P - 1 pieces StragglAR takes P - 2 + ceil(log2 P) of them") {
  for (const Rank ranks : {8, 12, 16}) {
    const double pieces = ranks - 1;
    const double rounds = pieces - 1 + ceil_log2(ranks);
    INFO(ranks << " ranks");
    CHECK(after_arrival("stragglar:late=3", ranks, 1.5, ranks - 1) ==
          Approx(rounds / pieces).epsilon(0.01));
    CHECK(after_arrival("ring", ranks, 1.5) == Approx(2 * (1 - 1. / ranks)).epsilon(0.01));
  }
}

TEST_CASE("a late rank: more pieces take little more than the vector alone") {
  for (const Rank ranks : {5, 8, 16}) {
    INFO(ranks << " ranks");
    CHECK(after_arrival("stragglar:late=3", ranks, 1.1) < 1.05);
    CHECK(after_arrival("ring", ranks, 1.1) > 1.55);
  }
}

TEST_CASE("a rank that is not late: StragglAR takes as long as it would need to be") {
  const double at_once = after_arrival("stragglar:late=3", 8, 0);
  CHECK(at_once > after_arrival("ring", 8, 0));
  CHECK(at_once < 2.2);
}
