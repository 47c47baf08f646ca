#include "bench/study/predictions.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace arlab::bench;

namespace {

Json measured(const char* algorithm, std::int64_t bytes, double us, double modelled) {
  return {{"kind", "run"},          {"algorithm", algorithm},
          {"bytes", bytes},         {"ranks", 8},
          {"elements", bytes / 4},  {"time_us", {{"median", us}}},
          {"modelled_us", modelled}};
}

}  // namespace

TEST_CASE("kendall_tau counts pairs in the same order, and corrects for ties") {
  CHECK(kendall_tau({1, 2, 3, 4}, {10, 20, 30, 40}) == 1);
  CHECK(kendall_tau({1, 2, 3, 4}, {4, 3, 2, 1}) == -1);
  CHECK(kendall_tau({1, 2, 3, 4}, {1, 2, 4, 3}) == Approx(4. / 6));
  CHECK(kendall_tau({1, 1, 2}, {1, 2, 3}) == Approx(2 / std::sqrt(6.)));
  CHECK(kendall_tau({1, 1}, {1, 2}) == 0);
}

TEST_CASE("predictions are summarized by algorithm, size and ranks, worst first") {
  const std::vector<Json> records{measured("ring", 1024, 100, 110),
                                  measured("tree", 1024, 200, 100),
                                  measured("ring", 4096, 400, 400),
                                  measured("tree", 4096, 500, 600),
                                  {{"kind", "context"}},
                                  {{"kind", "run"}, {"time_us", nullptr}, {"modelled_us", 3}}};
  const PredictionSummary s = summarize_predictions(records);
  REQUIRE(s.rows.size() == 4);
  CHECK(s.rows.front().error() == Approx(-0.5));
  REQUIRE(s.errors.size() == 1 + 2 + 2 + 1);
  CHECK(s.errors[0].what == "all");
  CHECK(s.errors[0].median == Approx(0.15));
  CHECK(s.errors[0].worst == Approx(-0.5));
  CHECK(s.errors[1].what == "ring");
  CHECK(s.errors[1].median == Approx(0.05));
  CHECK(s.errors[3].what == "1 KiB");
  CHECK(s.errors[5].what == "8 ranks");
  CHECK(s.problems == 2);
  CHECK(s.tau == 0);  // one order is right, one is wrong
  CHECK(s.cost_of_choice == Approx(1.5));
  CHECK(s.worst_cost_of_choice == Approx(2));
  const std::string text = prediction_tables(s, 1);
  CHECK(text.find("-50.0%") != std::string::npos);
  CHECK(text.find("| ring      |     8 | 1 KiB") == std::string::npos);
}

TEST_CASE("records without a prediction give no summary") {
  CHECK(summarize_predictions({}).rows.empty());
}
