// Every compressor on emulated ranks with every aggregation it supports: the bits of threads.
#include "tests/support/compressors.hpp"

#include <utility>
#include <vector>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/world.hpp"
#include "training/compressors/aggregate.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

TEST_CASE("emulated ranks: compressed gradients have the bits of threads") {
  constexpr Rank kRanks = 5;
  const TensorShapes layout = test::layout_of(217);
  int runs = 0;
  for (const CompressorKind& kind : compressors())
    for (const Aggregation aggregation : kind.aggregations) {
      INFO(kind.name << " by " << name(aggregation));
      const CompressorChoice choice = test::quick(kind);
      std::vector<std::vector<float>> out;
      const auto body = [&](Communicator& c) {
        const auto aggregator = make_aggregator(choice, layout, aggregation, kRanks, c.rank());
        for (int step = 0; step < 3; ++step) {
          auto x = test::gradient(elements(layout), c.rank(), step);
          aggregator.run(c, x, {.seed = 3, .step = step, .rank = c.rank(), .ranks = kRanks});
          out[static_cast<std::size_t>(3 * c.rank() + step)] = x;
        }
      };
      out.assign(3 * kRanks, {});
      on_threads(kRanks, body);
      const auto expected = std::exchange(out, {});
      out.assign(3 * kRanks, {});
      const EmulationResult outcome = emulated::run(kRanks, body);
      CHECK((out == expected));  // in parentheses, so that a failure does not print it
      CHECK(outcome.finish > Time{});
      ++runs;
    }
  CHECK(runs > 20);
}
