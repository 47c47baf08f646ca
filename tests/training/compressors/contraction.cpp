// What error feedback needs: the residual of an encoding is smaller than what was encoded, so that
// residuals stay bounded.
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

double square(std::span<const float> x) {
  double sum = 0;
  for (const float v : x) sum += double{v} * double{v};
  return sum;
}

double square_of_residual(Compressor& compressor) {
  double last = -1;  // the state of what is wrapped comes before it
  compressor.visit_state([&](std::span<float> part) { last = square(part); });
  return last;
}

constexpr Count kRows = 40, kColumns = 50, kElements = kRows * kColumns;

/// Vectors that are hard for one code or another.
std::vector<std::vector<float>> hard_vectors() {
  std::vector<std::vector<float>> all{test::gradient(kElements)};
  std::vector<float> x(kElements, 1.0f);
  all.push_back(x);  // equal elements
  x.assign(kElements, 0.25f);
  x[17] = 30;
  all.push_back(x);  // one large element
  x = test::gradient(kElements, 3);
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = 0;
  all.push_back(x);  // dead elements
  for (float& v : x) v *= 1e-4f;
  all.push_back(x);
  return all;
}

/// Returns the largest ratio of the mean square of the residual to that of what was encoded.
double worst_ratio(const CompressorChoice& choice) {
  double worst = 0;
  for (const auto& x : hard_vectors()) {
    double mean = 0;
    constexpr int kDraws = 20;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto one =
          make_compressor(choice, {{kRows, kColumns}}, test::first_aggregation(choice));
      test::encode_alone(*one, x, {.seed = static_cast<std::uint64_t>(draw + 1)});
      mean += square_of_residual(*one) / kDraws;
    }
    worst = std::max(worst, mean / square(x));
  }
  return worst;
}

CompressorChoice with_feedback(const std::string& spec) {
  CompressorChoice choice = choose_compressor(spec);
  choice.feedback = choice.kind->feedback != Feedback::built_in;
  return choice;
}

}  // namespace

TEST_CASE("every code that error feedback may wrap is a contraction") {
  for (const std::string spec :
       {"bf16", "fp16", "int8", "int8:bucket=1048576", "natural", "onebit", "ef_signsgd",
        "powersgd", "powersgd:rank=1,warm=0", "qsgd:levels=12", "qsgd:levels=127",
        "qsgd:levels=1,bucket=3", "randomk", "randomk:ratio=0.5", "topk", "topk:k=1",
        "threshold:tau=0.00001"}) {
    INFO(spec);
    if (spec != "ef_signsgd")
      REQUIRE_NOTHROW(
          choose_compressor(spec + (spec.find(':') == spec.npos ? ":" : ",") + "feedback=on"));
    CHECK(worst_ratio(with_feedback(spec)) < 1.0);
  }
}

TEST_CASE("the codes for which error feedback is refused are not contractions") {
  for (const char* spec : {"qsgd", "qsgd:levels=3", "qsgd:levels=1,bucket=16", "terngrad",
                           "terngrad:clip=0", "signsgd"}) {
    INFO(spec);
    CHECK(worst_ratio(with_feedback(spec)) > 1.0);
  }
}

TEST_CASE("residuals of the compressors that accept feedback stay bounded") {
  for (const CompressorKind& kind : compressors()) {
    if (kind.feedback == Feedback::built_in) continue;
    CompressorChoice choice = choose_compressor(kind, {});
    if (kind.no_feedback && !kind.no_feedback(choice.values).empty()) continue;
    choice.feedback = true;
    INFO(text(choice));
    const auto one = make_compressor(choice, {{kRows, kColumns}}, test::first_aggregation(choice));
    double early = 0, late = 0;
    for (int step = 0; step < 900; ++step) {
      test::encode_alone(*one, test::gradient(kElements, 0, step), {.seed = 5, .step = step});
      double& worst = step < 600 ? early : late;
      worst = std::max(worst, square_of_residual(*one));
    }
    CHECK(late < 2 * early + 1e-9);
  }
}
