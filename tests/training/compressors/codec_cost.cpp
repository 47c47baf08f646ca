// The cost of a codec: it is measured on numbers like those of a gradient, after every warm-up.
#include "training/compressors/codec_cost.hpp"

#include <cmath>
#include <string>
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

TEST_CASE("codecs move at least the vector and their code, and sums read and write it") {
  constexpr Count kN = 1 << 20;
  for (const CompressorKind& kind : compressors()) {
    const CompressorChoice choice = choose_compressor(kind.name);
    const auto bytes =
        kind.packed({{1 << 10, 1 << 10}}, choice, kind.aggregations.front(), Count{1} << 40);
    if (!bytes) continue;  // it depends on the gradient
    INFO(kind.name);
    const CodecWork work = work_of(choice, kN);
    const double code = static_cast<double>(*bytes) / static_cast<double>(kN);
    CHECK(work.encode > code);
    CHECK(work.decode > 0);
    if (kind.sparse || code < 0.1) continue;  // some elements only
    CHECK(work.encode >= 4 + 0.99 * code);    // headers of buckets are left out
    CHECK(work.decode >= 8 + 0.99 * code - 0.01);
  }
}

TEST_CASE("codecs: products of low rank count, and so does error feedback") {
  const DeviceRates device{.memory = 1e12, .arithmetic = 1e13};
  const auto cost = [&](const char* spec) {
    return counted_codec_cost(choose_compressor(spec), 1 << 20, device);
  };
  CHECK(cost("powersgd:rank=64").encode > cost("powersgd:rank=4").encode);
  CHECK(cost("powersgd:rank=64").decode > cost("powersgd:rank=4").decode);
  CHECK(cost("topk").encode > 2 * cost("topk:feedback=off").encode);
  CHECK(cost("topk:ratio=0.5").decode > 10 * cost("topk:ratio=0.01").decode);
  CHECK(cost("topk:k=1").encode < cost("topk:k=100000").encode);
  CHECK(cost("fp16").encode == 6 / (kReachedRate * 1e12));
  const DeviceRates twice{.memory = 2e12, .arithmetic = 2e13};
  const CompressorChoice onebit = choose_compressor("onebit");
  CHECK(counted_codec_cost(onebit, 8, twice).encode * 2 ==
        counted_codec_cost(onebit, 8, device).encode);
}

// On one core the arithmetic counts more than on a GPU: so pairs are compared where one moves three
// times the other's bytes, and a few may differ. Hidden, since it times: in a release build on a
// quiet machine, test_compressors '[.timed]'.
TEST_CASE("codecs that move far more bytes are slower on this machine, too", "[.timed]") {
  constexpr Count kN = 1 << 21;
  struct Timed {
    std::string name;
    double counted, measured;
  };
  std::vector<Timed> all;
  for (const char* spec :
       {"fp16", "bf16", "int8", "onebit", "ef_signsgd", "topk", "dgc", "powersgd"}) {
    const CompressorChoice choice = choose_compressor(spec);
    all.push_back({spec, work_of(choice, kN).encode, measured_codec_cost(choice, kN).encode});
  }
  int pairs = 0, alike = 0;
  for (const Timed& more : all)
    for (const Timed& less : all) {
      if (more.counted < 3 * less.counted) continue;
      ++pairs;
      alike += more.measured > less.measured;
    }
  CHECK(pairs >= 10);
  CHECK(10 * alike >= 8 * pairs);
}
