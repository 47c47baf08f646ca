#include "bench/study/regression.hpp"

#include <cmath>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

namespace {

// A record of `n` runs around a time, with an interval of the given half width.
Json run(const std::string& algorithm, double us, double half_width = 0.01, Count n = 40,
         Count wrong = 0) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = 4, .elements = 256};
  r.wrong = wrong;
  r.body = RunBody{.backend = "threads",
                   .time_us = Summary{n, us, us * (1 - half_width), us * (1 + half_width), us, us}};
  return to_json(r);
}

std::string verdicts(const std::vector<Json>& before, const std::vector<Json>& after,
                     double threshold = 0.05) {
  std::string text;
  for (const TimeComparison& c : compare_records(before, after, threshold).all)
    text += c.record["algorithm"].get<std::string>() + " " + name(c.verdict) + "; ";
  return text;
}

std::string text_of(const Table& table) { return show_table(table, {}, {}); }

}  // namespace

TEST_CASE("regression: the worst comes first, and small or unsure changes do not count") {
  const std::vector<Json> before{run("ring", 100), run("tree", 100), run("swing", 100),
                                 run("pat", 100)};
  const std::vector<Json> after{run("ring", 103), run("tree", 80), run("swing", 150),
                                run("pat", 150, 0.9)};
  CHECK(verdicts(before, after) == "pat same; swing slower; ring same; tree faster; ");
  CHECK(verdicts(before, after, 0.01) == "pat same; swing slower; ring slower; tree faster; ");
}

TEST_CASE("regression: trainings of other networks or strategies are other configurations") {
  const auto training = [](const std::string& strategy, double rate, double us) {
    TrainBody body{.backend = "virtual", .model = "mlp", .strategy = strategy, .workers = 4};
    body.emulation = TrainBody::Emulation{.bandwidth_gbit_per_s = rate};
    body.step_time_us = Summary{40, us, us * 0.99, us * 1.01, us, us};
    Record r;
    r.algorithm = "ring";
    r.problem = {.ranks = 4, .elements = 256};
    r.body = body;
    return to_json(r);
  };
  const std::vector<Json> study{training("mirrored", 0.1, 900), training("mirrored", 10, 90),
                                training("local_sgd:every=2", 10, 50),
                                training("local_sgd:every=8", 10, 40)};
  const TimeComparisons same = compare_records(study, study, 0.05);
  CHECK(same.all.size() == 4);
  CHECK_FALSE(same.failed());
  const std::string text = text_of(table(same));
  CHECK_THAT(text, contains("bandwidth_gbit_per_s"));
  CHECK_THAT(text, contains("local_sgd:every=8"));
  const TimeComparisons other = compare_records({study[0]}, {study[1]}, 0.05);
  CHECK(other.all.empty());
  CHECK(other.only_old == 1);
  CHECK(other.only_new == 1);
}

TEST_CASE("regression: a small but clear gain does not count either") {
  CHECK(verdicts({run("ring", 100)}, {run("ring", 97)}) == "ring same; ");
  CHECK(verdicts({run("ring", 100)}, {run("ring", 97)}, 0.01) == "ring faster; ");
}

TEST_CASE("regression: the ratio has an interval") {
  const TimeComparisons r = compare_records({run("ring", 100)}, {run("ring", 200)}, 0.05);
  const TimeComparison& c = r.all.front();
  CHECK(c.ratio == Approx(2));
  CHECK(c.low == Approx(2 * std::exp(-std::sqrt(2.0) * 0.01)).epsilon(1e-3));
  CHECK(c.high == Approx(2 * std::exp(std::sqrt(2.0) * 0.01)).epsilon(1e-3));
  CHECK(c.p < 1e-6);
  CHECK(r.failed());
}

TEST_CASE("regression: five runs are not enough, wrong results are worse than slow ones") {
  CHECK(verdicts({run("ring", 100)}, {run("ring", 900, 0.01, 5)}) == "ring not enough runs; ");
  CHECK_FALSE(compare_records({run("ring", 100)}, {run("ring", 900, 0.01, 5)}, 0).failed());
  const TimeComparisons wrong =
      compare_records({run("ring", 100)}, {run("ring", 50, 0.01, 40, 1)}, 0);
  CHECK(wrong.all.front().verdict == TimeComparison::Verdict::wrong);
  CHECK(wrong.failed());
}

TEST_CASE("regression: launches of one configuration are one, with the spread between them") {
  const std::vector<Json> steady{run("ring", 100), run("ring", 101), run("ring", 99)};
  const std::vector<Json> wild{run("ring", 100), run("ring", 200), run("ring", 110)};
  CHECK(compare_records(steady, steady, 0).all.size() == 1);
  CHECK(verdicts(steady, {run("ring", 120)}) == "ring slower; ");
  CHECK(verdicts(wild, {run("ring", 130)}) == "ring same; ");
}

TEST_CASE("regression: of several launches, the launch is the unit of the test") {
  const auto launches = [](std::vector<double> medians) {
    std::vector<Json> all;
    for (const double us : medians) all.push_back(run("ring", us));
    return all;
  };
  const TimeComparisons apart =
      compare_records(launches({100, 101, 102, 103}), launches({120, 121, 122, 123}), 0.05);
  CHECK(apart.all.front().p < 1e-4);
  CHECK(apart.all.front().verdict == TimeComparison::Verdict::slower);
  CHECK(text_of(table(apart)).find("4, 4") != std::string::npos);
  // One launch among the others is enough for doubt.
  CHECK(verdicts(launches({100, 101, 102, 125}), launches({120, 121, 122, 123})) == "ring same; ");
  // Two launches have a spread of one degree of freedom each: of equal ones, Welch's t is Student's
  // with two, whose 95% are within 4.303.
  const TimeComparison two =
      compare_records(launches({100, 121}), launches({200, 242}), 0.05).all.front();
  const double error = std::sqrt(2.0) * std::log(1.21) / 2;
  CHECK(two.high == Approx(2 * std::exp(4.3027 * error)).epsilon(1e-4));
}

TEST_CASE("regression: many configurations of few launches show large changes") {
  std::vector<Json> before, after;
  for (const int n : {1, 2, 3, 4, 5, 6})
    for (const double us : {100., 101., 102., 103.}) {
      before.push_back(run("r" + std::to_string(n), us));
      after.push_back(run("r" + std::to_string(n), 3 * us));
    }
  for (const TimeComparison& c : compare_records(before, after, 0.05).all)
    CHECK(c.verdict == TimeComparison::Verdict::slower);
}

TEST_CASE("regression: intervals of launches hold the ratio as often as they say") {
  std::mt19937_64 random(1);
  const auto side = [&](int launches) {
    std::normal_distribution<double> spread(0, 0.05);
    std::vector<Json> all;
    for (int i = 0; i < launches; ++i) all.push_back(run("ring", 100 * std::exp(spread(random))));
    return all;
  };
  for (const int launches : {2, 3, 5, 10}) {
    constexpr int kTries = 1000;
    int inside = 0;
    for (int i = 0; i < kTries; ++i) {
      const auto before = side(launches), after = side(launches);
      const TimeComparison c = compare_records(before, after, 0.05).all.front();
      inside += c.low <= 1 && 1 <= c.high ? 1 : 0;
    }
    INFO(launches << " launches");
    CHECK(inside > 940);
    CHECK(inside < 990);
  }
}

TEST_CASE("regression: configurations of one file only are counted, not compared") {
  const TimeComparisons r = compare_records({run("ring", 1), run("tree", 1)},
                                            {run("ring", 1), run("pat", 1), run("swing", 1)}, 0);
  CHECK(r.all.size() == 1);
  CHECK(r.only_old == 1);
  CHECK(r.only_new == 2);
}

TEST_CASE("regression: the table names what differs between the rows") {
  const std::string text =
      text_of(table(compare_records({run("ring", 100)}, {run("ring", 200)}, 0.05)));
  CHECK(text.find("| ring      |     4 | 1 KiB | 100 us | 200 us |") != std::string::npos);
  CHECK(text.find("backend") == std::string::npos);
  CHECK(text.find("slower") != std::string::npos);
}

TEST_CASE("regression: simulated times are exact") {
  Record r;
  r.algorithm = "ring";
  r.problem = {.ranks = 4, .elements = 256};
  r.body = SimulateBody{.model = "fluid", .modelled_us = 100};
  const Json before = to_json(r);
  r.as<SimulateBody>().modelled_us = 110;
  CHECK(verdicts({before}, {before}) == "ring same; ");
  CHECK(verdicts({before}, {to_json(r)}) == "ring slower; ");
}
