// PushCodes: a server decodes what a worker pushes, and a code has the announced length.
#include "training/strategies/push_codes.hpp"

#include <cmath>

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

constexpr Count kElements = 300;
const Variable kVariables[] = {{.name = "weight", .shape = {kElements}, .elements = kElements}};

GradientOptions options_for(const CompressorChoice& choice) {
  GradientOptions options;
  options.compressor = choice;
  return options;
}

}  // namespace

TEST_CASE("each compressor that can be pushed announces the length of its codes") {
  for (const CompressorKind& kind : compressors()) {
    if (kind.name == "powersgd") continue;
    const GradientOptions options = options_for(test::quick(kind));
    INFO(text(*options.compressor));
    if (!PushCodes::unsupported_reason(options).empty()) continue;
    PushCodes worker(options, kVariables, 4);
    for (Count push = 0; push < 4; ++push) {
      auto x = test::gradient(kElements, 1, push);
      const auto code = worker.encode(0, x, 1, push);
      CHECK(static_cast<Count>(code.size()) == worker.bytes(0, push));
    }
  }
}

TEST_CASE("a server decodes nearly the gradient that a worker pushed") {
  for (const char* spec : {"fp16", "bf16", "int8"}) {
    INFO(spec);
    const GradientOptions options = options_for(choose_compressor(spec));
    PushCodes worker(options, kVariables, 3), server(options, kVariables, 3);
    const auto x = test::gradient(kElements, 2);
    auto scratch = x;
    std::vector<float> decoded(kElements);
    server.decode(0, worker.encode(0, scratch, 2, 0), decoded, 2, 0);
    for (std::size_t i = 0; i < kElements; ++i)
      CHECK(std::fabs(double{decoded[i]} - double{x[i]}) < 0.012);
  }
}

TEST_CASE("compressors of matrices see a variable's first dimension as rows") {
  static std::vector<TensorShapes> seen;
  CompressorKind kind;
  kind.aggregations = {Aggregation::all_gather};
  kind.make = [](const TensorShapes& layout, const CompressorChoice&,
                 Aggregation) -> std::unique_ptr<Compressor> {
    seen.push_back(layout);
    return nullptr;
  };
  CompressorChoice choice;
  choice.kind = &kind;
  const std::vector<Variable> variables{
      {.name = "bias", .shape = {7}, .elements = 7},
      {.name = "dense", .shape = {6, 5}, .elements = 30},
      {.name = "convolution", .shape = {8, 3, 2, 2}, .elements = 96},
      {.name = "empty", .shape = {0, 4}, .elements = 0},
      {.name = "scalar", .shape = {}, .elements = 1}};
  PushCodes(options_for(choice), variables, 2);
  CHECK(seen == std::vector<TensorShapes>{{{1, 7}}, {{6, 5}}, {{8, 12}}, {{1, 0}}, {{1, 1}}});
}

TEST_CASE("PushCodes rejects PowerSGD, whose passes need sums over all workers") {
  CHECK_THROWS_AS(PushCodes(options_for(choose_compressor("powersgd:rank=1")), kVariables, 2),
                  Error);
}
