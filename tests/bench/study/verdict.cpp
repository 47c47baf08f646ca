#include "bench/study/verdict.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr double kGbit = 1e9 / 8;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A step of 10 ms computes, and hides 4 ms of what its bytes take on the link; the codec comes on
// top. Five epochs of 100 steps come near to the accuracy: 80%, 90%, 95%, ... of it.
Trial trial(const std::string& compressor, double gbits, double bytes = 1'000'000, double codec = 0,
            double accuracy = 0.97) {
  Trial t{.model = "mlp",
          .workers = 8,
          .strategy = "mirrored",
          .scheduler = "fifo",
          .compressor = compressor,
          .latency = "50us",
          .accuracy = accuracy,
          .loss = 0.1,
          .steps = 500,
          .bytes = bytes};
  t.aggregation = t.dense() ? "" : "all_gather";
  t.bandwidth = gbits * kGbit;
  t.codec = codec;
  t.exposed = std::max(0.0, bytes / t.bandwidth - 0.004);
  t.seconds = 0.010 + t.exposed + codec;
  double missing = 0.2;
  for (int epoch = 1; epoch <= 5; ++epoch, missing /= 2)
    t.curve.push_back({100 * epoch * t.seconds, epoch < 5 ? accuracy * (1 - missing) : accuracy});
  return t;
}

std::vector<Trial> sweep() {
  std::vector<Trial> all;
  for (const double gbits : {0.1, 1.0, 10.0}) {
    all.push_back(trial("signsgd", gbits, 31'250, 0.0005, 0.90));
    all.push_back(trial("none", gbits));
    all.push_back(trial("fp16", gbits, 500'000, 0.0002));
    all.push_back(trial("topk:ratio=0.01", gbits, 80'000, 0.003, 0.965));
    all.push_back(trial("none", gbits));
    all.back().scheduler = "none";
    all.back().exposed += 0.004;
    all.back().seconds += 0.004;
    all.push_back(trial("powersgd", gbits, 40'000, 0.001));
    all.back().loss = kNaN;
  }
  return all;
}

const Judgement& of(const std::vector<Judgement>& all, std::size_t trial) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const Judgement& j) { return j.trial == trial; });
}

/// With two runs: what becomes of the second, of which the first, dense, is the yardstick.
Judgement second(const Trial& dense, const Trial& other, std::optional<double> target = {}) {
  const Trial both[] = {dense, other};
  return of(judge(both, target), 1);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// Its table and words stand in a file, as a user reads them.
TEST_CASE("the verdict of a sweep, to the letter") {
  std::ifstream file(ARLAB_VERDICT);
  std::stringstream expected;
  expected << file.rdbuf();
  REQUIRE(file);
  CHECK(verdict(sweep()) + "\n" + explain(sweep()) == expected.str());
}

TEST_CASE("the order of the runs does not matter") {
  std::vector<Trial> trials = sweep();
  const std::string table = verdict(trials), words = explain(trials);
  std::reverse(trials.begin(), trials.end());
  CHECK(verdict(trials) == table);
  CHECK(explain(trials) == words);
}

TEST_CASE("the yardstick is the dense run with the shortest step that did not diverge") {
  std::vector<Trial> trials(3, trial("none", 1));
  trials[0].seconds = 0.020;
  trials[1].seconds = 0.015;
  trials[2].seconds = 0.010;
  trials[2].loss = kNaN;
  const auto all = judge(trials);
  CHECK(all[0].trial == 1);
  CHECK(all[0].standing == Standing::best_dense);
  CHECK(of(all, 0).standing == Standing::dense);
  CHECK(*of(all, 0).gain == Approx(1 - 20 / 15.0));
  CHECK(of(all, 2).standing == Standing::diverged);
  CHECK(all[2].trial == 2);
}

TEST_CASE("runs of other models, workers, strategies, latencies and bandwidths are not compared") {
  for (int which = 0; which < 5; ++which) {
    Trial other = trial("fp16", 1, 500'000);
    if (which == 0) other.model = "cnn";
    if (which == 1) other.workers = 4;
    if (which == 2) other.strategy = "local_sgd";
    if (which == 3) other.latency = "5us";
    if (which == 4) other.bandwidth *= 2;
    const Judgement j = second(trial("none", 1), other);
    CHECK(j.standing == Standing::alone);
    CHECK_FALSE(j.gain);
    CHECK_FALSE(j.break_even);
  }
}

TEST_CASE("a gain is a part of the yardstick's step, and below 1% there is none") {
  const auto at = [](double seconds) {
    Trial t = trial("fp16", 1, 500'000);
    t.seconds = seconds;
    t.curve.clear();
    return second(trial("none", 1), t);  // 14 ms
  };
  CHECK(*at(0.007).gain == Approx(0.5));
  CHECK(*at(0.028).gain == Approx(-1));
  CHECK(at(0.0138).standing == Standing::gains);
  CHECK(at(0.0139).standing == Standing::even);
  CHECK(at(0.0141).standing == Standing::even);
  CHECK(at(0.0142).standing == Standing::loses);
}

TEST_CASE("who loses more than a point of accuracy gains nothing, however fast") {
  const auto with = [](double accuracy) {
    return second(trial("none", 1), trial("signsgd", 1, 31'250, 0, accuracy));
  };
  CHECK(with(0.97).standing == Standing::gains);
  CHECK(with(0.99).standing == Standing::gains);
  CHECK(with(0.96).standing == Standing::gains);  // a point, to the last bit
  CHECK(with(0.9599).standing == Standing::inaccurate);
  CHECK(with(0.9599).break_even->kind == BreakEven::Kind::never);
  const Trial both[] = {trial("none", 1), trial("signsgd", 1, 31'250, 0, 0.90)};
  CHECK(has(explain(both), "stay with dense gradients and fifo: no compressor gains"));
  CHECK(has(explain(both),
            "signsgd (7.0 points worse): fast but less accurate, which is not a gain"));
}

TEST_CASE("shorter steps that come later to the accuracy are no gain") {
  Trial t = trial("topk", 1, 80'000);
  REQUIRE(second(trial("none", 1), t).standing == Standing::gains);
  t.curve.assign(5, {0, 0.5});
  for (std::size_t i = 0; i < 5; ++i)
    t.curve[i].seconds = t.seconds * 100 * static_cast<double>(i + 1);
  CHECK(second(trial("none", 1), t, 0.8).standing == Standing::late);  // never
  t.curve[4].accuracy = 0.97;
  const Judgement j = second(trial("none", 1), t, 0.8);  // after 5 epochs instead of 2
  CHECK(j.standing == Standing::late);
  CHECK(*j.reached == Approx(5.0));
  const Trial both[] = {trial("none", 1), t};
  CHECK(has(explain(both, 0.8),
            "topk (5 s against 2.8 s): shorter steps, but dense reaches the accuracy first"));
}

TEST_CASE("the time to an accuracy is that of the first point that has it") {
  Trial dense = trial("none", 1);
  dense.curve = {{1, 0.5}, {2, 0.9599999}, {3, 0.96}, {4, 0.95}, {5, 0.97}};
  const Trial one[] = {dense};
  CHECK(*judge(one)[0].target == Approx(0.96));  // a point below the end
  CHECK(*judge(one)[0].reached == 3);
  CHECK(*judge(one, 0.5)[0].reached == 1);
  CHECK_FALSE(judge(one, 0.98)[0].reached);
  CHECK(has(verdict(one, 0.98), "| not reached   |"));
  CHECK(has(verdict(one, 0.98), "| time to 98.0% |"));
  dense.curve.clear();
  const Trial unknown[] = {dense};
  CHECK_FALSE(judge(unknown)[0].target);
  CHECK_FALSE(has(verdict(unknown), "time to"));
  CHECK(failure([&] { judge(one, 1.5); }) ==
        "2: an accuracy of 1.5 cannot be reached: give 0 to 1");
  CHECK(failure([&] { judge(one, kNaN); }).find("cannot be reached") != std::string::npos);
}

TEST_CASE("break-even lies where lines through both times cross, on logarithmic axes") {
  const auto swept = [](std::vector<double> seconds) {
    std::vector<Trial> trials;
    double gbits = 0.1;
    for (const double s : seconds) {
      trials.push_back(trial("none", gbits));
      trials.back().seconds = 0.010;
      trials.push_back(trial("fp16", gbits));
      trials.back().seconds = s;
      gbits *= 10;
    }
    return text_of(*of(judge(trials), 1).break_even);
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

TEST_CASE("a sweep is of one compressor, schedule and aggregation") {
  for (int which = 0; which < 3; ++which) {
    std::vector<Trial> trials{trial("none", 1), trial("none", 10), trial("fp16", 1, 500'000, 1e-3),
                              trial("fp16", 10, 500'000, 1e-3)};
    REQUIRE(of(judge(trials), 2).break_even->kind == BreakEven::Kind::at);
    (which == 0   ? trials[3].compressor
     : which == 1 ? trials[3].scheduler
                  : trials[3].aggregation) = "other";
    CHECK(of(judge(trials), 2).break_even->kind == BreakEven::Kind::about);
  }
}

TEST_CASE("with one bandwidth, break-even is where the codec takes as long as the bytes it saves") {
  const auto one = [](double bytes, double codec) {
    return text_of(*second(trial("none", 1), trial("topk", 1, bytes, codec)).break_even);
  };
  CHECK(one(500'000, 0.004) == "about 1 Gbit/s");
  CHECK(one(500'000, 0) == "any");
  CHECK(one(1'000'000, 0.004) == "never");
  CHECK(one(1'500'000, 0) == "never");
}

TEST_CASE("nothing is divided by what is not there") {
  Trial dense = trial("none", 1), other = trial("fp16", 1);
  dense.seconds = other.seconds = 0;
  dense.curve.clear();
  other.curve.clear();
  Judgement j = second(dense, other);
  CHECK_FALSE(j.gain);
  CHECK(j.standing == Standing::alone);
  dense.seconds = other.seconds = 0.01;
  dense.bandwidth = other.bandwidth = 0;
  j = second(dense, other);
  CHECK(*j.gain == 0);
  CHECK(j.break_even->kind == BreakEven::Kind::never);
  const Trial both[] = {dense, other};
  CHECK(has(explain(both), "on this network: stay with dense gradients"));
  for (const std::string& text : {verdict(both), explain(both)}) {
    CHECK_FALSE(has(text, "nan"));
    CHECK_FALSE(has(text, "inf"));
  }
  CHECK(verdict({}).empty());
  CHECK(explain({}).empty());
}

TEST_CASE("runs that diverged are shown as such, and never win") {
  for (const bool by_loss : {true, false}) {
    Trial t = trial("powersgd", 1, 1000);
    (by_loss ? t.loss : t.accuracy) = kNaN;
    const Trial both[] = {trial("none", 1), t};
    CHECK(of(judge(both), 1).standing == Standing::diverged);
    CHECK(has(verdict(both), "| diverged |"));
    CHECK(has(explain(both), "no compressor gains"));
    CHECK(has(explain(both), "Not worth it: powersgd: diverged."));
    CHECK_FALSE(has(verdict(both), "nan"));
  }
}

TEST_CASE("without a dense run, or with dense ones alone, that is said") {
  const Trial alone[] = {trial("fp16", 1, 500'000)};
  CHECK(has(explain(alone), "there is no dense run to compare with: add none to --compressor."));
  CHECK(has(verdict(alone), "nothing to compare with"));
  Trial bad = trial("none", 1);
  bad.loss = std::numeric_limits<double>::infinity();
  const Trial diverged[] = {bad, alone[0]};
  CHECK(has(explain(diverged), "the dense runs diverged"));
  const Trial dense[] = {trial("none", 1)};
  CHECK(explain(dense) ==
        "mlp, 8 workers, mirrored, latency 50us\n"
        "- at 1 Gbit/s: no compressor was tried; of the dense schedules fifo is the fastest, 14 ms "
        "a step, of which 4 ms is waited for.\n");
}

TEST_CASE("a compressor is told of by its best schedule") {
  std::vector<Trial> trials{trial("none", 1), trial("fp16", 1, 500'000), trial("fp16", 1, 500'000)};
  trials[1].seconds = 0.0135;
  trials[1].scheduler = "none";
  trials[2].scheduler = "priority";
  const std::string words = explain(trials);
  CHECK(has(words, "use fp16 with priority: a step takes 10 ms instead of 14 ms (28.6% less)"));
  CHECK_FALSE(has(words, "with none"));
  CHECK_FALSE(has(words, "also"));
}

TEST_CASE("each way of not paying has its reason") {
  const auto why = [](const Trial& dense, const Trial& other) {
    const Trial both[] = {dense, other};
    const std::string words = explain(both);
    return words.substr(words.find("Not worth it"));
  };
  const Trial dense = trial("none", 1);
  CHECK(why(dense, trial("signsgd", 1, 1'200'000)) ==
        "Not worth it: signsgd (1.144 MiB against 976.6 KiB): sends no fewer bytes than dense.\n");
  CHECK(why(trial("none", 10), trial("fp16", 10, 500'000, 0.001)) ==
        "Not worth it: fp16 (-10.0%): the exchange is hidden behind the backward pass anyway.\n");
  CHECK(
      why(dense, trial("qsgd", 1, 250'000, 0.009)) ==
      "Not worth it: qsgd (9 ms against 6 ms): encoding and decoding take longer than the smaller "
      "messages save.\n");
  CHECK(why(dense, trial("fp16", 1, 990'000)) == "Not worth it: fp16 (+0.6%): no difference.\n");
  CHECK(why(dense, trial("topk", 1, 250'000, 0.005)) ==
        "Not worth it: topk (-7.1%): a longer step all the same.\n");
}

TEST_CASE("a link is told of by its latency, or by the network's name") {
  std::vector<Trial> trials{trial("none", 1), trial("none", 1)};
  trials[1].latency = "fat_tree:k=4";
  CHECK(has(verdict(trials), "| link         |"));
  CHECK(has(explain(trials), "mirrored, latency 50us\n"));
  CHECK(has(explain(trials), "mirrored, fat_tree:k=4\n"));
  trials[0].latency = trials[1].latency = "";
  CHECK(has(explain(trials), "mirrored\n"));
}

TEST_CASE("studies stand one after the other, and what differs has a column") {
  std::vector<Trial> trials{trial("none", 10), trial("none", 1), trial("none", 1)};
  trials[2].model = "cnn";
  trials[2].workers = 1;
  CHECK(has(verdict(trials), "mirrored, latency 50us. Net:"));
  CHECK(has(verdict(trials), "| model | workers | bandwidth |"));
  const std::string words = explain(trials);
  const auto mlp = words.find("mlp, 8 workers"), cnn = words.find("\ncnn, 1 worker, mirrored");
  CHECK(mlp == 0);
  CHECK(cnn != std::string::npos);
  CHECK(words.find("at 1 Gbit/s") < words.find("at 10 Gbit/s"));
}
