// Codes of each scheduler, and the bytes that they have together.
#include "training/exchange/code_units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "training/schedulers/scheduler.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Those of model mlp.
const std::vector<Variable> kLayers{{.name = "w1", .shape = {784, 128}, .elements = 100'352},
                                    {.name = "b1", .shape = {128}, .elements = 128},
                                    {.name = "w2", .shape = {128, 10}, .elements = 1'280},
                                    {.name = "b2", .shape = {10}, .elements = 10}};

GradientOptions with(const char* scheduler, arlab::Values values = {}) {
  GradientOptions options;
  options.scheduler = scheduler;
  options.scheduling = std::move(values);
  options.compressor = choose_compressor("topk:k=1000");
  return options;
}

std::vector<Count> sizes(const GradientOptions& options) {
  std::vector<Count> all;
  for (const TensorShapes& unit : code_units(options, kLayers)) all.push_back(elements(unit));
  return all;
}

}  // namespace

TEST_CASE("a code is a bundle where bundles are fixed, and else a slice") {
  CHECK(sizes(with("buckets", {{"first_bucket", 1e9}, {"bucket", 1e9}})) ==
        std::vector<Count>{101'770});
  CHECK(sizes(with("fifo")) == std::vector<Count>{10, 1'280, 128, 100'352});
  CHECK(sizes(with("mg_wfbp")).size() == 4);  // which merges them by time
  CHECK(sizes(with("priority", {{"slice", 200'000}})).size() == 3 + 3);
  for (const SchedulerKind& kind : schedulers()) {
    INFO(kind.name);
    Count all = 0;
    for (const Count one : sizes(with(std::string(kind.name).c_str()))) all += one;
    CHECK(all == 101'770);
  }
}

TEST_CASE("advice adds up the codes of a step") {
  // Each of at most 1000 elements of 8 bytes.
  const CodeRoute apart = code_route(with("fifo"), kLayers, 2);
  CHECK_THAT(apart.advice, contains("each rank receives 17104 bytes"));
  CHECK_THAT(apart.advice, contains("23.8 times fewer"));
  const CodeRoute one = code_route(with("fifo"), std::vector<TensorShapes>{flat(101'770)}, 2);
  CHECK_THAT(one.advice, contains("each rank receives 8000 bytes"));
}
