#include "bench/study/verdicts.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// Runs around a time, 1% apart.
Measurement runs(double us, int count) {
  Measurement m;
  for (int i = 0; i < count; ++i)
    m.samples_us.push_back(us * (1 + 0.01 * ((7 * i) % count) / count));
  m.time_us = summarize(m.samples_us);
  return m;
}

// The verdicts on runs of one problem, "fastest slower ...".
std::string verdicts(const std::vector<Measurement>& measured) {
  std::vector<Record> records;
  for (const Measurement& m : measured) {
    Record r;
    r.body = RunBody{.time_us = m.time_us};
    records.push_back(r);
  }
  compare_with_fastest(records, measured);
  decide_verdicts(records);
  std::string text;
  for (const Record& r : records) text += r.as<RunBody>().verdict.value_or("none") + "; ";
  return text;
}

}  // namespace

TEST_CASE("verdicts: one that is clearly first is the fastest, the others are slower") {
  CHECK(verdicts({runs(12, 20), runs(10, 20), runs(15, 20)}) == "slower; fastest; slower; ");
}

TEST_CASE("verdicts: equal samples tie, and the third is slower than both") {
  CHECK(verdicts({runs(10, 20), runs(10.0001, 20), runs(15, 20)}) == "tie; tie; slower; ");
}

TEST_CASE("verdicts: few runs cannot decide") {
  CHECK(verdicts({runs(10, 3), runs(20, 3)}) == "not enough runs; not enough runs; ");
  CHECK(verdicts({runs(10, 5), runs(20, 5)}) == "fastest; slower; ");
}

TEST_CASE("verdicts: a configuration without others has none") {
  CHECK(verdicts({runs(10, 9)}) == "none; ");
}

TEST_CASE("verdicts: modes do not compete") {
  std::vector<Record> records(2);
  const std::vector<Measurement> measured{runs(10, 20), runs(30, 20)};
  for (std::size_t i = 0; i < 2; ++i) {
    RunBody body{.time_us = measured[i].time_us};
    body.mode.in_place = i == 0;
    records[i].body = body;
  }
  compare_with_fastest(records, measured);
  CHECK_FALSE(records[0].as<RunBody>().rank_sum_p);
  CHECK_FALSE(records[1].as<RunBody>().rank_sum_p);
}

TEST_CASE("verdicts: many comparisons need clearer differences") {
  // 5 against 5 runs cannot be below 2/252, and 7 of these comparisons not below 5%.
  std::vector<Measurement> many{runs(10, 5)};
  for (int i = 0; i < 7; ++i) many.push_back(runs(20 + i, 5));
  CHECK(verdicts(many).starts_with("not enough runs; not enough runs; "));
}
