// The cost of a codec: it is measured on numbers like those of a gradient, after every warm-up.
#include "training/compressors/codec_cost.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

struct Seen {
  TensorShapes layout;
  std::vector<float> gradient;
  std::vector<Count> steps;
  int passes = 0, decoded = 0;
};
Seen seen;  // a kind makes its compressors by a plain function

/// Notes what it is given.
class Recorder final : public Compressor {
 public:
  Recorder() : Compressor(Operands(2)) {}
  std::span<std::byte> encode(std::span<const float> gradient,
                              const EncodeContext& context) override {
    seen.gradient.assign(gradient.begin(), gradient.end());
    seen.steps.push_back(context.step);
    return code_;
  }
  std::span<std::byte> next(const EncodeContext&) override {
    ++seen.passes;
    return code_;
  }
  void decode_add(std::span<const std::byte> code, std::span<float> into, float,
                  const EncodeContext&) override {
    seen.decoded += code.size() == 3 && into.size() == seen.gradient.size();
  }

 private:
  std::vector<std::byte> code_ = std::vector<std::byte>(3);
};

}  // namespace

TEST_CASE("codecs are measured on nearly normal numbers in a nearly square matrix") {
  CompressorKind kind;
  kind.aggregations = {Aggregation::all_gather};
  kind.make = [](const TensorShapes& layout, const CompressorChoice&,
                 Aggregation) -> std::unique_ptr<Compressor> {
    seen.layout = layout;
    return std::make_unique<Recorder>();
  };
  CompressorChoice choice;
  choice.kind = &kind;
  seen = {};
  const CodecCost cost = measured_codec_cost(choice, 4099);
  CHECK(cost.encode >= 0);
  CHECK(cost.decode >= 0);
  CHECK(seen.layout == TensorShapes{{64, 64}, {1, 3}});
  REQUIRE(seen.gradient.size() == 4099);
  double sum = 0, square = 0;
  Count beyond_one = 0, beyond_two = 0;
  for (const float x : seen.gradient) {
    sum += double{x};
    square += double{x} * double{x};
    beyond_one += std::fabs(x) > 1;
    beyond_two += std::fabs(x) > 2;
  }
  // Of a normal distribution, with five standard deviations of each of the four.
  CHECK(std::fabs(sum / 4099) < 0.08);
  CHECK(std::fabs(square / 4099 - 1) < 0.11);
  CHECK(std::fabs(static_cast<double>(beyond_one) / 4099 - 0.317) < 0.037);
  CHECK(std::fabs(static_cast<double>(beyond_two) / 4099 - 0.0455) < 0.017);
  CHECK(seen.steps.size() >= 3);
  CHECK(seen.passes == static_cast<int>(seen.steps.size()));
  CHECK(seen.decoded == static_cast<int>(seen.steps.size()));
  for (const Count step : seen.steps) CHECK(step >= 1'000'000);
}
