// Error feedback: what was sent plus the residual is the sum of the gradients.
#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kElements = 400;
constexpr int kSteps = 20;

/// Returns the wrapper's residual, which comes last in the state.
std::vector<float> residual_of(Compressor& compressor) {
  const auto state = save_state(state_of(compressor));
  std::vector<float> residual(kElements);
  std::memcpy(residual.data(), state.data() + state.size() - kElements * sizeof(float),
              kElements * sizeof(float));
  return residual;
}

double worst_gap(const CompressorChoice& choice) {
  const auto compressor =
      make_compressor(choice, test::layout_of(kElements), test::first_aggregation(choice));
  std::vector<double> gradients(kElements), sent(kElements);
  for (int step = 0; step < kSteps; ++step) {
    const auto x = test::gradient(kElements, 0, step);
    const auto out = test::through(*compressor, x, {.seed = 7, .step = step});
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradients[i] += double{x[i]};
      sent[i] += double{out[i]};
    }
  }
  const auto residual = residual_of(*compressor);
  double worst = 0;
  for (std::size_t i = 0; i < residual.size(); ++i)
    worst = std::max(worst, std::fabs(sent[i] + double{residual[i]} - gradients[i]));
  return worst;
}

}  // namespace

TEST_CASE("sent + residual = sum of gradients, for every compressor with error feedback") {
  for (const CompressorKind& kind : compressors()) {
    if (kind.feedback == Feedback::built_in && kind.name != "ef_signsgd") continue;
    CompressorChoice choice = test::quick(kind);
    if (kind.no_feedback && !kind.no_feedback(choice.values).empty()) continue;
    if (kind.feedback != Feedback::built_in) choice = choose_compressor(kind, choice.values, true);
    INFO(text(choice));
    CHECK(worst_gap(choice) < 1e-4);  // rounding of 20 steps with numbers up to about 20
  }
}

TEST_CASE("DGC without momentum eventually sends all of the gradients") {
  const auto compressor = make_compressor(choose_compressor("dgc:momentum=0,ratio=0.05,warm_up=1"),
                                          flat(kElements), Aggregation::all_gather);
  std::vector<double> gap(kElements);
  for (int step = 0; step < kSteps; ++step) {
    const auto x = test::gradient(kElements, 0, step);
    const auto out = test::through(*compressor, x, {.seed = 7, .step = step});
    for (std::size_t i = 0; i < gap.size(); ++i) gap[i] += double{x[i]} - double{out[i]};
  }
  const auto velocity = residual_of(*compressor);  // v comes last
  for (std::size_t i = 0; i < gap.size(); ++i)
    CHECK(std::fabs(gap[i] - double{velocity[i]}) < 1e-5);
}

TEST_CASE("a step with NaN or infinity does not spoil later steps") {
  for (const char* spec : {"topk:ratio=0.1", "onebit", "ef_signsgd", "int8:feedback=on",
                           "powersgd:rank=1", "randomk:ratio=0.1"}) {
    INFO(spec);
    const CompressorChoice choice = choose_compressor(spec);
    const auto compressor = make_compressor(choice, {{20, 20}}, test::first_aggregation(choice));
    auto x = test::gradient(kElements);
    x[17] = std::numeric_limits<float>::quiet_NaN();
    x[18] = std::numeric_limits<float>::infinity();
    test::through(*compressor, x, {.step = 0});
    for (int step = 1; step < 3; ++step) {
      const auto out =
          test::through(*compressor, test::gradient(kElements, 0, step), {.step = step});
      Count wrong = 0;
      for (const float v : out) wrong += !std::isfinite(v);
      CHECK(wrong == 0);
    }
    for (const float e : residual_of(*compressor)) CHECK(std::isfinite(e));
  }
}

TEST_CASE("a restored state continues with the same bits") {
  for (const CompressorKind& kind : compressors()) {
    const CompressorChoice choice = test::quick(kind);
    INFO(text(choice));
    const auto make = [&] {
      return make_compressor(choice, test::layout_of(kElements), test::first_aggregation(choice));
    };
    const auto step = [&](Compressor& compressor, int s) {
      auto out = test::through(compressor, test::gradient(kElements, 0, s), {.seed = 3, .step = s});
      compressor.finish(out, {.seed = 3, .step = s});
      return out;
    };
    const auto first = make();
    for (int s = 0; s < 4; ++s) step(*first, s);
    const auto second = make();
    restore_state(state_of(*second), save_state(state_of(*first)));
    for (int s = 4; s < 6; ++s) CHECK(test::same_bits(step(*first, s), step(*second, s)));
  }
}

TEST_CASE("rejects the state of another compressor") {
  const auto of = [](Count n) {
    return make_compressor(choose_compressor("topk"), flat(n), Aggregation::all_gather);
  };
  CHECK_THROWS_AS(restore_state(state_of(*of(10)), save_state(state_of(*of(11)))), Error);
}
