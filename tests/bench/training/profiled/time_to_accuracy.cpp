// Tuning by time to accuracy: what is trained, when it stops, and which setting is chosen.
#include "bench/training/profiled/time_to_accuracy.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Trial trial(const char* scheduler, double step, std::vector<Trial::Point> curve,
            const char* compressor = "none") {
  return {{"ring", scheduler, compressor, 0}, step, std::move(curve)};
}

std::vector<std::string> schedulers_of(const std::vector<ExchangeSetting>& settings) {
  std::vector<std::string> all;
  for (const ExchangeSetting& s : settings) all.push_back(s.scheduler + " " + s.compressor);
  return all;
}

}  // namespace

TEST_CASE("the pace of steps has no evaluations, and no step that follows one") {
  StepPace pace;
  CHECK(pace.mean() == 0);
  pace.step(0, 5);
  pace.step(5, 7);
  CHECK(pace.mean() == 6);  // nothing but first steps and their followers
  pace.step(7, 1);
  CHECK(pace.mean() == 2);
  pace.evaluated();  // for 93 seconds
  pace.step(100, 50);
  pace.step(101, 50);
  CHECK(pace.mean() == 2);
  pace.step(105, 50);
  CHECK(pace.mean() == 3);
}

TEST_CASE("time to accuracy counts steps until the first evaluation that reaches it") {
  const Trial t = trial("fifo", 0.5, {{10, 0.2}, {20, 0.9}, {30, 0.8}});
  CHECK(t.steps_to(0.9) == 20);
  CHECK(*t.seconds_to(0.8) == 10);
  CHECK(!t.steps_to(0.91));
  CHECK(!t.seconds_to(0.91));
  CHECK(t.best() == 0.9);
}

TEST_CASE("a trial ends at the accuracy, or when it can no longer be the fastest") {
  const Trial t = trial("fifo", 0.5, {{10, 0.2}, {20, 0.9}});
  CHECK(!ends(t, {}));
  CHECK(ends(t, {.accuracy = 0.9}));
  CHECK(!ends(t, {.accuracy = 0.91}));
  CHECK(ends(t, {.accuracy = 0.91, .seconds = 10}));
  CHECK(!ends(t, {.accuracy = 0.91, .seconds = 10.1}));
}

TEST_CASE("the next trial has the time of the best one, or all of the first one's") {
  std::vector<Trial> all{trial("buckets", 1, {{10, 0.5}, {20, 0.7}})};
  CHECK(next_goal(all, 0.9).seconds == 20);
  CHECK(next_goal(all, 0.9).accuracy == 0.9);
  CHECK(next_goal(all, 0.5).seconds == 10);
  all.push_back(trial("fifo", 0.1, {{10, 0.5}, {90, 0.9}}));
  CHECK(next_goal(all, 0.9).seconds == Approx(9));
}

TEST_CASE("the first to reach the accuracy is chosen, by step time if they are equal") {
  std::vector<Trial> all{trial("buckets", 1, {{10, 0.9}})};
  CHECK(!choose_trial(all, 0.95));
  CHECK(choose_trial(all, 0.9) == 0);
  all.push_back(trial("topk", 0.25, {{50, 0.9}}));  // shorter steps, but five times as many
  CHECK(choose_trial(all, 0.9) == 0);
  all.push_back(trial("near", 0.995, {{10, 0.9}}));  // saves less than 1%
  CHECK(choose_trial(all, 0.9) == 0);
  all.push_back(trial("more", 0.25, {{20, 0.9}}));  // 5 seconds, as the next one
  all.push_back(trial("short", 0.125, {{40, 0.9}}));
  CHECK(choose_trial(all, 0.9) == 4);
  all.push_back(trial("never", 0.01, {{40, 0.89}}));
  CHECK(choose_trial(all, 0.9) == 4);
  std::vector<Trial> late{trial("buckets", 1, {{10, 0.8}}), trial("fifo", 1, {{10, 0.9}})};
  CHECK(choose_trial(late, 0.9) == 1);
}

TEST_CASE("the usual setting, three more of its compressor, and the best of each other one train") {
  const SettingsSearch search{.settings = {{"ring", "dear", "topk", 0.5},
                                           {"ring", "more", "topk", 0.6},
                                           {"ring", "dear", "none", 1},
                                           {"ring", "same", "none", 1},
                                           {"ring", "dear", "fp16", 1},
                                           {"ring", "fifo", "none", 2},
                                           {"ring", "third", "none", 3},
                                           {"ring", "fourth", "none", 4},
                                           {"ring", "buckets", "none", 6},
                                           {"ring", "fifo", "qsgd", 7}},
                              .left_out = 0,
                              .reason = ""};
  const auto chosen = settings_to_train(search, {"ring", "buckets", "none", 0});
  CHECK(schedulers_of(chosen) == std::vector<std::string>{"buckets none", "dear topk", "dear none",
                                                          "dear fp16", "fifo none", "third none"});
  CHECK(chosen.front().simulated == 6);
  // Of an unknown time: qsgd, too.
  CHECK(settings_to_train(search, {"native", "buckets", "none", 0}).size() == 7);
  CHECK(settings_to_train(search, {"ring", "dear", "topk", 0}).size() == 2);
}

TEST_CASE("the table of trials says what was not reached") {
  const std::vector<Trial> all{trial("buckets", 1e-3, {{10, 0.5}, {20, 0.95}}),
                               trial("fifo", 1e-3, {{10, 0.4}, {15, 0.3}}, "topk")};
  const std::string table = trials_table(all, 0.9);
  CHECK(table.find("time to 90.0%") != std::string::npos);
  CHECK(table.find("over 15 ms") != std::string::npos);
  CHECK(explain_missed(all, 0.9) ==
        "ring, fifo, topk did not reach 90.0%: 40.0% after 15 steps, in 15 ms.\n");
  CHECK(explain_missed(all, 0.3).empty());
}
