// NaN, infinities, zeros, 0 or 1 elements, and k above n: each compressor does what
// CompressorKind::special_values documents.
#include <algorithm>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;
using test::through;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string words(float v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return "finite";
}

/// Describes the finite, infinite and NaN elements of a gradient after compression.
std::string fate(const std::string& spec) {
  const std::vector<float> x{0.5f, kInf, kNan, -kInf};
  const auto out = through(spec, x, {.seed = 4});
  return words(out[0]) + " " + words(out[1]) + " " + words(out[2]) + " " + words(out[3]);
}

}  // namespace

TEST_CASE("each compressor treats NaN and infinities as documented") {
  const std::string all_nan = "nan nan nan nan", kept = "finite inf nan -inf";
  CHECK(fate("fp16") == kept);
  CHECK(fate("bf16") == kept);
  CHECK(fate("natural") == kept);
  CHECK(fate("int8") == all_nan);
  CHECK(fate("qsgd") == all_nan);
  CHECK(fate("terngrad") == all_nan);
  CHECK(fate("onebit") == all_nan);
  CHECK(fate("ef_signsgd") == all_nan);
  CHECK(fate("signsgd") == "finite finite finite finite");
  CHECK(fate("topk:k=3") == "finite inf nan -inf");
  CHECK(fate("threshold:tau=3e38") == "finite inf nan -inf");
  CHECK(fate("dgc:warm_up=0,ratio=0.75") == "finite inf nan -inf");
  CHECK(fate("dgc") ==
        "finite finite nan finite");  // the first step sends a quarter: NaN goes first
  CHECK(fate("randomk:ratio=1") == kept);
  CHECK(fate("powersgd") == kept);  // a vector: travels whole
}

// Training then fails with a message, instead of going on with wrong gradients.
TEST_CASE("every compressor shows a NaN, or its documentation says that it does not") {
  for (const CompressorKind& kind : compressors()) {
    INFO(kind.name
         << ": decode a NaN as NaN, or say in special_values that \"a NaN does not show\"");
    const std::string_view documented = kind.special_values;
    CHECK(documented.find("NaN") != std::string_view::npos);
    const bool hidden = documented.find("a NaN does not show") != std::string_view::npos;
    const auto compressor =
        make_compressor(choose_compressor(kind.name), flat(3), kind.aggregations.front());
    const auto out = through(*compressor, std::vector<float>(3, kNan), {.seed = 4});
    CHECK(std::ranges::any_of(out, [](float v) { return std::isnan(v); }) == !hidden);
  }
}

TEST_CASE("a NaN does not affect other buckets") {
  auto x = test::gradient(200);
  x[150] = kNan;
  for (const char* spec : {"int8:bucket=100", "qsgd:bucket=100"}) {
    const auto out = through(spec, x);
    for (std::size_t i = 0; i < 200; ++i) CHECK(std::isnan(out[i]) == (i >= 100));
  }
}

TEST_CASE("PowerSGD turns a matrix with a NaN or an infinity into NaN, and only that") {
  for (const float special : {kNan, kInf, -kInf})
    for (const char* spec : {"powersgd:rank=1,feedback=off", "powersgd:rank=2,feedback=off"}) {
      auto x = test::gradient(140);
      x[7] = special;
      const auto compressor =
          make_compressor(choose_compressor(spec), {{5, 8}, {10, 10}}, Aggregation::allreduce);
      const auto out = through(*compressor, x);
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::isnan(out[i]) == (i < 40));
    }
}

TEST_CASE("what is too large or too small for a code becomes infinite or 0, as documented") {
  const auto on_8_ranks = [](float x) {
    const auto one = make_compressor(choose_compressor("fp16"), flat(1), Aggregation::allreduce);
    return through(*one, std::vector<float>{x}, {.ranks = 8})[0];
  };
  CHECK(on_8_ranks(2.3e-7f) == 0);  // 3e-8 times 8 is 2.4e-7
  CHECK(on_8_ranks(2.5e-7f) > 0);
  CHECK(std::isfinite(on_8_ranks(65504.0f * 8)));
  CHECK(std::isinf(on_8_ranks(65536.0f * 8)));
  CHECK(through("bf16", std::vector<float>{4e-41f, 5e-41f, 3.389e38f, 3.4e38f}) ==
        std::vector<float>{0, 0x1p-133f, 0x1.fep127f, kInf});
  CHECK(through("topk:k=3,halves=1,feedback=off", std::vector<float>{2e-8f, 70000, 4e-8f}) ==
        std::vector<float>{0, kInf, 0x1p-24f});
  CHECK(through("qsgd", std::vector<float>{1e-39f}) == std::vector<float>{0});
}

TEST_CASE("terngrad with a shared bound shows NaN and infinities as well") {
  const auto compressor =
      make_compressor(choose_compressor("terngrad"), flat(3), Aggregation::allreduce);
  for (const float special_values : {kNan, kInf})
    for (const float v : through(*compressor, std::vector<float>{1, special_values, 2}))
      CHECK(std::isnan(v));
}

TEST_CASE("zeros stay zeros, except with one bit per element") {
  const std::vector<float> zeros(300);
  for (const CompressorKind& kind : compressors()) {
    const CompressorChoice choice = test::quick(kind);
    for (const Aggregation aggregation : kind.aggregations) {
      INFO(text(choice) << " by " << name(aggregation));
      const auto compressor = make_compressor(choice, {{15, 20}}, aggregation);
      for (int step = 0; step < 3; ++step) {
        auto out = through(*compressor, zeros, {.step = step});
        compressor->finish(out, {.step = step});
        const bool votes = kind.signs_only && aggregation != Aggregation::allreduce;
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool set = (static_cast<int>(i) + step) % 2 == 0;
          CHECK(out[i] == (!votes ? 0.0f : set ? -1.0f : 1.0f));
        }
      }
    }
  }
}

TEST_CASE("compresses 0 and 1 elements") {
  for (const CompressorKind& kind : compressors()) {
    const CompressorChoice choice = choose_compressor(kind, {}, std::nullopt);
    for (const Aggregation aggregation : kind.aggregations) {
      INFO(text(choice) << " by " << name(aggregation));
      const auto none = make_compressor(choice, {}, aggregation);
      CHECK(through(*none, {}).empty());
      const auto one = make_compressor(choice, flat(1), aggregation);
      const auto out = through(*one, std::vector<float>{-0.75f}, {.seed = 1});
      // A single element is its own norm, mean and maximum.
      if (kind.name != "natural")
        CHECK(out[0] == Approx(kind.name == "signsgd" ? -1.0 : -0.75).margin(1e-6));
      if (kind.name == "natural") CHECK((out[0] == -0.5f || out[0] == -1.0f));
    }
  }
}

TEST_CASE("with k above n, all elements are sent") {
  const auto x = test::gradient(20);
  for (const char* spec :
       {"topk:k=100", "randomk:k=100", "topk:ratio=1", "randomk:k=100,feedback=off"})
    CHECK(test::same_bits(through(spec, x), x));
  const CompressorChoice choice = choose_compressor("topk:k=100");
  CHECK(choice.kind->packed(flat(20), choice, Aggregation::all_gather, 0) == 160);
}

TEST_CASE("compresses magnitudes at both ends of the float range") {
  const float max = std::numeric_limits<float>::max();
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float large = 0.9f * max;  // half a step above is still a float
  const auto wide = through("int8", std::vector<float>{large, -large, 0});
  CHECK(wide[0] == Approx(large).epsilon(0.01));
  CHECK(wide[1] == Approx(-large).epsilon(0.01));
  CHECK(through("int8", std::vector<float>{tiny, -tiny}) == std::vector<float>{0, 0});
  CHECK(through("terngrad", std::vector<float>{tiny}) == std::vector<float>{0});
  CHECK(through("qsgd", std::vector<float>{tiny})[0] == 0);
  CHECK(std::isnan(through("qsgd", std::vector<float>{max, max})[0]));
  CHECK(through("natural", std::vector<float>{0x1p30f, -0x1p-94f}) ==
        std::vector<float>{0x1p30f, -0x1p-94f});
  CHECK(std::isinf(through("natural", std::vector<float>{0x1p31f})[0]));
  CHECK(std::isinf(through("fp16", std::vector<float>{65520})[0]));
}
