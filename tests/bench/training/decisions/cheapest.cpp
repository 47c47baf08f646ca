// Sentences about the plan that costs least.
#include "bench/training/decisions/cheapest.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// One that takes a second per step.
ScaleRow row_of(Rank gpus, Count batch, GpuPrice price, std::string network = "10G") {
  return {.model = "m",
          .device = "d",
          .network = std::move(network),
          .ranks = gpus,
          .batch = batch,
          .price = price,
          .step = kPicosecondsPerSecond};
}

}  // namespace

TEST_CASE("the cheapest plan is named, and what the fastest costs") {
  const GpuPrice price{.dollars_per_hour = 3.6, .watts = 360};
  const ScaleRow few = row_of(8, 100, price), many = row_of(64, 50, price);
  CHECK(explain_cost({few, many}) ==
        std::vector<std::string>{"m costs least on 8 GPUs on 10G: $10 per million samples; on the "
                                 "fastest, 64 GPUs on 10G, 2 times as much."});
  CHECK(explain_cost({few, row_of(64, 200, price)}) ==
        std::vector<std::string>{
            "m costs least on 64 GPUs on 10G: $5 per million samples, and is fastest, too."});
  CHECK(explain_cost({few}).empty());
  const GpuPrice power{.watts = 360};
  CHECK(explain_cost({row_of(8, 100, power), row_of(64, 50, power)}) ==
        std::vector<std::string>{"m takes the least energy on 8 GPUs on 10G: 1 kWh per million "
                                 "samples; on the fastest, 64 GPUs on 10G, 2 times as much."});
  ScaleRow other = row_of(8, 100, price);
  other.model = "n";
  CHECK(explain_cost({few, other}).empty());
  CHECK(*row_of(36, 100, price).cost().dollars == Approx(10));
}
