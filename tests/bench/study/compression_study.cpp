#include "bench/study/compression_study.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr double kGbit = 1e9 / 8;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A step computes for 10 ms and hides 4 ms of its communication; the codec adds to it. Five epochs
// of 100 steps approach the accuracy: 80%, 90%, 95%, ... of it.
RunSummary run_with(const std::string& compressor, double gbits, double bytes = 1'000'000,
                    double codec = 0, double accuracy = 0.97) {
  RunSummary r{.model = "mlp",
               .workers = 8,
               .strategy = "mirrored",
               .scheduler = "fifo",
               .compressor = compressor,
               .latency = "50us",
               .accuracy = accuracy,
               .loss = 0.1,
               .steps = 500,
               .bytes = bytes};
  r.aggregation = r.dense() ? "" : "all_gather";
  r.bandwidth = gbits * kGbit;
  r.codec = codec;
  r.exposed = std::max(0.0, bytes / r.bandwidth - 0.004);
  r.seconds = 0.010 + r.exposed + codec;
  double missing = 0.2;
  for (int epoch = 1; epoch <= 5; ++epoch, missing /= 2)
    r.curve.push_back({100 * epoch * r.seconds, epoch < 5 ? accuracy * (1 - missing) : accuracy});
  return r;
}

std::vector<RunSummary> study_runs() {
  std::vector<RunSummary> all;
  for (const double gbits : {0.1, 1.0, 10.0}) {
    all.push_back(run_with("signsgd", gbits, 31'250, 0.0005, 0.90));
    all.push_back(run_with("none", gbits));
    all.push_back(run_with("fp16", gbits, 500'000, 0.0002));
    all.push_back(run_with("topk:ratio=0.01", gbits, 80'000, 0.003, 0.965));
    all.push_back(run_with("none", gbits));
    all.back().scheduler = "none";
    all.back().exposed += 0.004;
    all.back().seconds += 0.004;
    all.push_back(run_with("powersgd", gbits, 40'000, 0.001));
    all.back().loss = kNaN;
  }
  return all;
}

const Comparison& of(const std::vector<Comparison>& all, std::size_t run) {
  return *std::find_if(all.begin(), all.end(), [&](const Comparison& c) { return c.run == run; });
}

/// Returns the comparison of the second run; the first, a dense one, is the baseline.
Comparison second(const RunSummary& dense, const RunSummary& other,
                  std::optional<double> target = {}) {
  const RunSummary both[] = {dense, other};
  return of(compare(both, target), 1);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a sweep's table and explanation match the recorded text") {
  std::ifstream file(source_file("tests/bench/study/compression_study.txt"));
  std::stringstream expected;
  expected << file.rdbuf();
  REQUIRE(file);
  CHECK(comparison_table(study_runs()) + "\n" + explain(study_runs()) == expected.str());
}

TEST_CASE("results do not depend on the order of the runs") {
  std::vector<RunSummary> runs = study_runs();
  const std::string table = comparison_table(runs), words = explain(runs);
  std::reverse(runs.begin(), runs.end());
  CHECK(comparison_table(runs) == table);
  CHECK(explain(runs) == words);
}

TEST_CASE("the baseline is the dense run with the shortest step that did not diverge") {
  std::vector<RunSummary> runs(3, run_with("none", 1));
  runs[0].seconds = 0.020;
  runs[1].seconds = 0.015;
  runs[2].seconds = 0.010;
  runs[2].loss = kNaN;
  const auto all = compare(runs);
  CHECK(all[0].run == 1);
  CHECK(all[0].result == Comparison::Result::best_dense);
  CHECK(of(all, 0).result == Comparison::Result::dense);
  CHECK(*of(all, 0).gain == Approx(1 - 20 / 15.0));
  CHECK(of(all, 2).result == Comparison::Result::diverged);
  CHECK(all[2].run == 2);
}

TEST_CASE("does not compare runs that differ in model, workers, strategy, latency or bandwidth") {
  for (int which = 0; which < 5; ++which) {
    RunSummary other = run_with("fp16", 1, 500'000);
    if (which == 0) other.model = "cnn";
    if (which == 1) other.workers = 4;
    if (which == 2) other.strategy = "local_sgd";
    if (which == 3) other.latency = "5us";
    if (which == 4) other.bandwidth *= 2;
    const Comparison c = second(run_with("none", 1), other);
    CHECK(c.result == Comparison::Result::alone);
    CHECK_FALSE(c.gain);
    CHECK_FALSE(c.break_even);
  }
}

TEST_CASE("a gain is a fraction of the baseline's step, below 1% there is no difference") {
  const auto at = [](double seconds) {
    RunSummary r = run_with("fp16", 1, 500'000);
    r.seconds = seconds;
    r.curve.clear();
    return second(run_with("none", 1), r);  // 14 ms
  };
  CHECK(*at(0.007).gain == Approx(0.5));
  CHECK(*at(0.028).gain == Approx(-1));
  CHECK(at(0.0138).result == Comparison::Result::gains);
  CHECK(at(0.0139).result == Comparison::Result::even);
  CHECK(at(0.0141).result == Comparison::Result::even);
  CHECK(at(0.0142).result == Comparison::Result::loses);
}

TEST_CASE("a run that loses more than one point of accuracy does not gain, however fast") {
  const auto with = [](double accuracy) {
    return second(run_with("none", 1), run_with("signsgd", 1, 31'250, 0, accuracy));
  };
  CHECK(with(0.97).result == Comparison::Result::gains);
  CHECK(with(0.99).result == Comparison::Result::gains);
  CHECK(with(0.96).result == Comparison::Result::gains);  // a point, to the last bit
  CHECK(with(0.9599).result == Comparison::Result::inaccurate);
  CHECK(with(0.9599).break_even->kind == BreakEven::Kind::never);
  const RunSummary both[] = {run_with("none", 1), run_with("signsgd", 1, 31'250, 0, 0.90)};
  CHECK(has(explain(both), "stay with dense gradients and fifo: no compressor gains"));
  CHECK(has(explain(both),
            "signsgd (7.0 points worse): fast but less accurate, which is not a gain"));
}

TEST_CASE("shorter steps that reach the accuracy later are not a gain") {
  RunSummary r = run_with("topk", 1, 80'000);
  REQUIRE(second(run_with("none", 1), r).result == Comparison::Result::gains);
  r.curve.assign(5, {0, 0.5});
  for (std::size_t i = 0; i < 5; ++i)
    r.curve[i].seconds = r.seconds * 100 * static_cast<double>(i + 1);
  CHECK(second(run_with("none", 1), r, 0.8).result == Comparison::Result::late);  // never
  r.curve[4].accuracy = 0.97;
  const Comparison c = second(run_with("none", 1), r, 0.8);  // after 5 epochs instead of 2
  CHECK(c.result == Comparison::Result::late);
  CHECK(*c.reached == Approx(5.0));
  const RunSummary both[] = {run_with("none", 1), r};
  CHECK(has(explain(both, 0.8),
            "topk (5 s against 2.8 s): shorter steps, but dense reaches the accuracy first"));
}

TEST_CASE("the time to an accuracy is the time of the first point that reaches it") {
  RunSummary dense = run_with("none", 1);
  dense.curve = {{1, 0.5}, {2, 0.9599999}, {3, 0.96}, {4, 0.95}, {5, 0.97}};
  const RunSummary one[] = {dense};
  CHECK(*compare(one)[0].target == Approx(0.96));  // a point below the end
  CHECK(*compare(one)[0].reached == 3);
  CHECK(*compare(one, 0.5)[0].reached == 1);
  CHECK_FALSE(compare(one, 0.98)[0].reached);
  CHECK(has(comparison_table(one, 0.98), "| not reached   |"));
  CHECK(has(comparison_table(one, 0.98), "| time to 98.0% |"));
  dense.curve.clear();
  const RunSummary unknown[] = {dense};
  CHECK_FALSE(compare(unknown)[0].target);
  CHECK_FALSE(has(comparison_table(unknown), "time to"));
  CHECK(failure([&] { compare(one, 1.5); }) ==
        "2: an accuracy of 1.5 cannot be reached: use a value from 0 to 1");
  CHECK(failure([&] { compare(one, kNaN); }).find("cannot be reached") != std::string::npos);
}

TEST_CASE("break-even is where lines through both times cross on logarithmic axes") {
  const auto swept = [](std::vector<double> seconds) {
    std::vector<RunSummary> runs;
    double gbits = 0.1;
    for (const double s : seconds) {
      runs.push_back(run_with("none", gbits));
      runs.back().seconds = 0.010;
      runs.push_back(run_with("fp16", gbits));
      runs.back().seconds = s;
      gbits *= 10;
    }
    return to_string(*of(compare(runs), 1).break_even);
  };
  CHECK(swept({0.005, 0.020}) == "320 Mbit/s");         // twice, and half as fast: in the middle
  CHECK(swept({0.005, 0.005, 0.080}) == "1.8 Gbit/s");  // an eighth as fast: a quarter of the way
  CHECK(swept({0.005, 0.010, 0.015}) == "1 Gbit/s");    // no gain there
  CHECK(swept({0.005, 0.006, 0.007}) == "> 10 Gbit/s");
  CHECK(swept({0.010, 0.011, 0.012}) == "< 100 Mbit/s");
  CHECK(swept({0.015, 0.005, 0.020}) == "3.2 Gbit/s");  // the last change
  CHECK(swept({0.015, 0.005}) == "> 1 Gbit/s");
  CHECK(swept({0.000, 0.020}) == "930 Mbit/s");  // no time at all is a very short time
}

TEST_CASE("a sweep has one compressor, schedule and aggregation") {
  for (int which = 0; which < 3; ++which) {
    std::vector<RunSummary> runs{run_with("none", 1), run_with("none", 10),
                                 run_with("fp16", 1, 500'000, 1e-3),
                                 run_with("fp16", 10, 500'000, 1e-3)};
    REQUIRE(of(compare(runs), 2).break_even->kind == BreakEven::Kind::at);
    (which == 0   ? runs[3].compressor
     : which == 1 ? runs[3].scheduler
                  : runs[3].aggregation) = "other";
    CHECK(of(compare(runs), 2).break_even->kind == BreakEven::Kind::about);
  }
}

TEST_CASE("with one bandwidth, break-even is where codec time equals the transfer time saved") {
  const auto one = [](double bytes, double codec) {
    return to_string(*second(run_with("none", 1), run_with("topk", 1, bytes, codec)).break_even);
  };
  CHECK(one(500'000, 0.004) == "about 1 Gbit/s");
  CHECK(one(500'000, 0) == "any");
  CHECK(one(1'000'000, 0.004) == "never");
  CHECK(one(1'500'000, 0) == "never");
}

TEST_CASE("zero times and unknown bandwidths do not divide by zero") {
  RunSummary dense = run_with("none", 1), other = run_with("fp16", 1);
  dense.seconds = other.seconds = 0;
  dense.curve.clear();
  other.curve.clear();
  Comparison c = second(dense, other);
  CHECK_FALSE(c.gain);
  CHECK(c.result == Comparison::Result::alone);
  dense.seconds = other.seconds = 0.01;
  dense.bandwidth = other.bandwidth = 0;
  c = second(dense, other);
  CHECK(*c.gain == 0);
  CHECK(c.break_even->kind == BreakEven::Kind::never);
  const RunSummary both[] = {dense, other};
  CHECK(has(explain(both), "on this network: stay with dense gradients"));
  for (const std::string& text : {comparison_table(both), explain(both)}) {
    CHECK_FALSE(has(text, "nan"));
    CHECK_FALSE(has(text, "inf"));
  }
  CHECK(comparison_table({}).empty());
  CHECK(explain(std::span<const RunSummary>()).empty());
}

TEST_CASE("runs that diverged are marked and never win") {
  for (const bool by_loss : {true, false}) {
    RunSummary r = run_with("powersgd", 1, 1000);
    (by_loss ? r.loss : r.accuracy) = kNaN;
    const RunSummary both[] = {run_with("none", 1), r};
    CHECK(of(compare(both), 1).result == Comparison::Result::diverged);
    CHECK(has(comparison_table(both), "| diverged |"));
    CHECK(has(explain(both), "no compressor gains"));
    CHECK(has(explain(both), "Not worth it: powersgd: diverged."));
    CHECK_FALSE(has(comparison_table(both), "nan"));
  }
}

TEST_CASE("reports a missing baseline, and a study of dense runs only") {
  const RunSummary alone[] = {run_with("fp16", 1, 500'000)};
  CHECK(has(explain(alone), "there is no dense run to compare with: add none to --compressor."));
  CHECK(has(comparison_table(alone), "no baseline"));
  RunSummary bad = run_with("none", 1);
  bad.loss = std::numeric_limits<double>::infinity();
  const RunSummary diverged[] = {bad, alone[0]};
  CHECK(has(explain(diverged), "the dense runs diverged"));
  const RunSummary dense[] = {run_with("none", 1)};
  CHECK(
      explain(dense) ==
      "mlp, 8 workers, mirrored, latency 50us\n"
      "- at 1 Gbit/s: no compressor was tried; fifo is the fastest dense schedule, with 14 ms per "
      "step, of which 4 ms is exposed communication.\n");
}

TEST_CASE("reports a compressor by its best schedule") {
  std::vector<RunSummary> runs{run_with("none", 1), run_with("fp16", 1, 500'000),
                               run_with("fp16", 1, 500'000)};
  runs[1].seconds = 0.0135;
  runs[1].scheduler = "none";
  runs[2].scheduler = "priority";
  const std::string words = explain(runs);
  CHECK(has(words, "use fp16 with priority: a step takes 10 ms instead of 14 ms (28.6% less)"));
  CHECK_FALSE(has(words, "with none"));
  CHECK_FALSE(has(words, "also"));
}

TEST_CASE("explains each reason why a compressor does not pay") {
  const auto why = [](const RunSummary& dense, const RunSummary& other) {
    const RunSummary both[] = {dense, other};
    const std::string words = explain(both);
    return words.substr(words.find("Not worth it"));
  };
  const RunSummary dense = run_with("none", 1);
  CHECK(why(dense, run_with("signsgd", 1, 1'200'000)) ==
        "Not worth it: signsgd (1.144 MiB against 976.6 KiB): sends no fewer bytes than dense.\n");
  CHECK(why(run_with("none", 10), run_with("fp16", 10, 500'000, 0.001)) ==
        "Not worth it: fp16 (-10.0%): the exchange is hidden behind the backward pass anyway.\n");
  CHECK(
      why(dense, run_with("qsgd", 1, 250'000, 0.009)) ==
      "Not worth it: qsgd (9 ms against 6 ms): encoding and decoding take longer than the smaller "
      "messages save.\n");
  CHECK(why(dense, run_with("fp16", 1, 990'000)) == "Not worth it: fp16 (+0.6%): no difference.\n");
  CHECK(why(dense, run_with("topk", 1, 250'000, 0.005)) ==
        "Not worth it: topk (-7.1%): a longer step anyway.\n");
}

TEST_CASE("names a link by its latency, or by the name of the network") {
  std::vector<RunSummary> runs{run_with("none", 1), run_with("none", 1)};
  runs[1].latency = "fat_tree:k=4";
  CHECK(has(comparison_table(runs), "| link         |"));
  CHECK(has(explain(runs), "mirrored, latency 50us\n"));
  CHECK(has(explain(runs), "mirrored, fat_tree:k=4\n"));
  runs[0].latency = runs[1].latency = "";
  CHECK(has(explain(runs), "mirrored\n"));
}

TEST_CASE("lists studies one after the other, with a column for each difference") {
  std::vector<RunSummary> runs{run_with("none", 10), run_with("none", 1), run_with("none", 1)};
  runs[2].model = "cnn";
  runs[2].workers = 1;
  CHECK(has(comparison_table(runs), "mirrored, latency 50us. Net:"));
  CHECK(has(comparison_table(runs), "| model | workers | bandwidth |"));
  const std::string words = explain(runs);
  const auto mlp = words.find("mlp, 8 workers"), cnn = words.find("\ncnn, 1 worker, mirrored");
  CHECK(mlp == 0);
  CHECK(cnn != std::string::npos);
  CHECK(words.find("at 1 Gbit/s") < words.find("at 10 Gbit/s"));
}

TEST_CASE("a compressor that saves any bytes without computing pays on every network") {
  const RunSummary dense = run_with("none", 1);
  using Kind = BreakEven::Kind;
  CHECK(second(dense, run_with("fp16", 1, 999'999.5)).break_even->kind == Kind::always);
  CHECK(second(dense, run_with("fp16", 1, 1'000'000)).break_even->kind == Kind::never);
  CHECK(second(dense, run_with("fp16", 1, 1'000'001)).break_even->kind == Kind::never);
}
