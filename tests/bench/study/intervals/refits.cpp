#include "bench/study/intervals/refits.hpp"

#include <cmath>

#include "bench/study/intervals/interval.hpp"
#include "bench/study/answers.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

const MachineSpread kSpread{.refits = {},
                            .lack = 0.05,
                            .between_jobs = 0,
                            .least_bytes = 4,
                            .most_bytes = 1 << 20,
                            .ranks = 3};

Record predicted_record(const std::string& algorithm, Rank ranks, Count elements, double us,
                        std::vector<double> by_refit, const MachineSpread& spread = kSpread) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = ranks, .elements = elements};
  r.body = SimulateBody{.topology = "crossbar",
                        .model = "connections",
                        .machine = "file=m.toml,L=1us",
                        .modelled_us = us};
  set_interval(spread, std::move(by_refit), r);
  return r;
}

std::string said_of_all(const std::vector<Json>& records) {
  std::string text;
  for (const std::string& sentence : answers(records)) text += sentence + "\n";
  return text;
}

}  // namespace

TEST_CASE("the deviation of logarithms is 0 without two times above 0") {
  CHECK(log_deviation({}) == 0);
  CHECK(log_deviation(std::vector<double>{3}) == 0);
  CHECK(log_deviation(std::vector<double>{0, 1}) == 0);
  CHECK(log_deviation(std::vector<double>{1, std::exp(2)}) == Approx(std::sqrt(2)));
}

TEST_CASE("what two times share does not widen the interval of their ratio") {
  const RefittedTime a{.us = 10, .by_refit = {8, 10, 13}}, b{.us = 20, .by_refit = {16, 20, 26}};
  const RatioInterval ratio = ratio_interval(b, a);
  CHECK(ratio.ratio == 2);
  CHECK(ratio.low == Approx(2));
  CHECK(ratio.high == Approx(2));
  CHECK_FALSE(ratio.is_tie());
  CHECK(ratio_interval(a, a).is_tie());
  const RefittedTime apart{.us = 11, .by_refit = {13, 11, 8}};
  CHECK(ratio_interval(apart, a).is_tie());
  const RefittedTime lacking{.us = 11, .by_refit = {8.8, 11, 14.3}, .lack = 0.1};
  CHECK(ratio_interval(lacking, a).is_tie());
}

TEST_CASE("what the model lacks grows with the distance from what was calibrated") {
  CHECK(lack_at(kSpread, 3, 4096) == Approx(0.05));
  CHECK(lack_at(kSpread, 2, 4) == Approx(0.05));
  CHECK(lack_at(kSpread, 12, 4096) == Approx(0.05 * std::sqrt(3)));
  CHECK(lack_at(kSpread, 12, 1 << 22) == Approx(0.05 * std::sqrt(5)));
  CHECK(lack_at(kSpread, 1, 0) == Approx(0.05 * std::sqrt(3)));
}

TEST_CASE("a record holds its interval and where it is beyond the calibration") {
  const Json near = to_json(predicted_record("ring", 2, 1024, 100, {100, 100}));
  CHECK(near["low_us"].get<double>() == Approx(100 / std::exp(1.2816 * 0.05)));
  CHECK(near["high_us"].get<double>() == Approx(100 * std::exp(1.2816 * 0.05)));
  CHECK(near["beyond_calibration"] == false);
  CHECK(near["refits"]["us"] == Json({100, 100}));
  CHECK(to_json(predicted_record("ring", 4, 1024, 100, {100}))["beyond_calibration"] == true);
  CHECK(to_json(predicted_record("ring", 2, 1 << 20, 100, {100}))["beyond_calibration"] == true);
  CHECK(to_json(predicted_record("ring", 2, 0, 100, {100}))["beyond_calibration"] == true);
}

TEST_CASE("answers: a tie is called one, and the distance is said") {
  const std::string tie =
      said_of_all({to_json(predicted_record("ring", 2, 1024, 100, {95, 100, 105})),
                   to_json(predicted_record("tree", 2, 1024, 103, {104, 103, 101}))});
  CHECK(tie.find("Fastest on 2 ranks: ring at 4 KiB (100 us, 80% interval 91.33 us to 109.5 us") !=
        std::string::npos);
  CHECK(tie.find("A tie at 4 KiB on 2 ranks: tree takes 1.03 times as long as ring, 80% interval "
                 "0.91 to 1.16.") != std::string::npos);
  CHECK(tie.find("Outside") == std::string::npos);
  const std::string sure =
      said_of_all({to_json(predicted_record("ring", 16, 1024, 100, {95, 100, 105})),
                   to_json(predicted_record("tree", 16, 1024, 300, {285, 300, 315}))});
  CHECK(sure.find("A tie") == std::string::npos);
  CHECK(sure.find("At 4 KiB on 16 ranks: tree takes 3.00 times as long as ring") !=
        std::string::npos);
  CHECK(sure.find("Outside what was calibrated (3 ranks, 4 B to 1 MiB): 16 ranks.") !=
        std::string::npos);
}

TEST_CASE("answers: an older machine file gives no intervals, and says so") {
  Json old = to_json(predicted_record("ring", 2, 1024, 100, {100}));
  for (const char* key : {"low_us", "high_us", "beyond_calibration", "refits"}) old[key] = nullptr;
  CHECK(said_of_all({old}).find("No intervals: m.toml has no table [interval]") !=
        std::string::npos);
  old["machine"] = "alpha=1us";
  CHECK(said_of_all({old}).find("No intervals") == std::string::npos);
}
