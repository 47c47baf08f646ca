// What plans cost: prices and watts of GPUs, costs per sample, and sentences about them.
#include "bench/training/profiled/running_cost.hpp"

#include "bench/training/profiled/scale_row.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "training/gpus/gpu.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

const std::string& a100() {
  static const std::string label(training::find_gpu("a100").label);
  return label;
}

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

TEST_CASE("running costs are GPU-hours times prices") {
  // 1000 samples per second: 1e6 samples take 1000 s on 36 GPUs, 10 hours of a GPU.
  const RunningCost cost = running_cost({.dollars_per_hour = 2, .watts = 500}, 36, 1000);
  CHECK(*cost.dollars == Approx(20));
  CHECK(*cost.kilowatt_hours == Approx(5));
  CHECK(!running_cost({.watts = 500}, 36, 1000).dollars);
  CHECK(!running_cost({.dollars_per_hour = 2}, 36, 1000).kilowatt_hours);
  CHECK(*row_of(36, 100, {.dollars_per_hour = 1}).cost().dollars == Approx(36e6 / 3600 / 3600));
}

TEST_CASE("prices and watts of GPUs: one for all, or one each") {
  TrainingSpec spec;
  CHECK(!price_of(spec, a100()).dollars_per_hour);
  CHECK(*price_of(spec, a100()).watts == training::find_gpu("a100").watts);
  CHECK(!price_of(spec, "an abacus").watts);
  spec.watts = {650};
  CHECK(*price_of(spec, a100()).watts == 650);
  CHECK(*price_of(spec, "an abacus").watts == 650);
  spec.gpus = {"h100", "a100"};
  spec.price = {4, 2};
  CHECK(*price_of(spec, a100()).dollars_per_hour == 2);
  CHECK(*price_of(spec, std::string(training::find_gpu("h100").label)).dollars_per_hour == 4);
  spec.price = {4, 2, 1};
  CHECK(error_text(Blame::usage, [&] { price_of(spec, a100()); }) ==
        "--compute price has 3 numbers for 2 GPUs: give one for all, or one for each --compute "
        "gpu");
  spec.gpus = {};
  spec.price = {4, 2};
  CHECK(error_text(Blame::usage, [&] { price_of(spec, a100()); }) ==
        "--compute price has 2 numbers for 0 GPUs: give one for all, or one for each --compute "
        "gpu");
}

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
}
