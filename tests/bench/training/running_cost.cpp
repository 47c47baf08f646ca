// What plans cost: prices and watts of GPUs, and costs per sample.
#include "bench/training/running_cost.hpp"

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

}  // namespace

TEST_CASE("running costs are GPU-hours times prices") {
  // 1000 samples per second: 1e6 samples take 1000 s on 36 GPUs, 10 hours of a GPU.
  const RunningCost cost = running_cost({.dollars_per_hour = 2, .watts = 500}, 36, 1000);
  CHECK(*cost.dollars == Approx(20));
  CHECK(*cost.kilowatt_hours == Approx(5));
  CHECK(!running_cost({.watts = 500}, 36, 1000).dollars);
  CHECK(!running_cost({.dollars_per_hour = 2}, 36, 1000).kilowatt_hours);
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
