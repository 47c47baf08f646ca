// Tuning: the search is a simulation of all settings, and the usual one stays unless another pays.
#include "bench/training/profiled/tune_settings.hpp"

#include "bench/training/settings_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

ConfirmedSetting confirmed_setting(const char* algorithm, double seconds) {
  static const training::ModelProfile profile{.name = "some"};
  ConfirmedSetting c{{algorithm, "fifo", "fp16", 0}, {}};
  c.result.config.profile = &profile;
  c.result.config.learning.strategy = "multi_worker";
  c.result.step = seconds;
  return c;
}

ReplayOptions tuned_options() {
  ReplayOptions options;
  options.model = "profile:bert-base";
  options.networks = {"10G"};
  options.tune = "settings.txt";
  return options;
}

}  // namespace

TEST_CASE("tuning: the usual setting stays unless another one saves more than 1%") {
  std::vector<ConfirmedSetting> all{confirmed_setting("ring", 1), confirmed_setting("tree", 0.995)};
  CHECK(choose_setting(all) == 0);
  all.push_back(confirmed_setting("swing", 0.98));
  CHECK(choose_setting(all) == 2);
  const std::string text = settings_text(all, 2);
  CHECK(text.find("--algorithm swing\n--scheduler fifo\n--compressor fp16\n") != std::string::npos);
  CHECK(text.starts_with("# "));
}

TEST_CASE("tuning: all settings of the space are simulated, the fastest first") {
  const SearchSpace space{.algorithms = {"ring", "tree", "forest"},
                          .schedulers = {"fifo", "buckets"},
                          .compressors = {"none", "fp16"}};
  const SettingsSearch search =
      search_settings(tuned_options(), space, {.strategy = "multi_worker"}, 4);
  CHECK(search.settings.size() == 8);
  CHECK(search.left_out == 4);
  CHECK(search.reason.starts_with("forest, fifo"));
  for (std::size_t i = 1; i < search.settings.size(); ++i)
    CHECK(search.settings[i - 1].simulated <= search.settings[i].simulated);
  CHECK(search.settings.front().compressor == "fp16");  // on a slow network
  const SettingsSearch sharded = search_settings(tuned_options(), {}, {.strategy = "fsdp"}, 4);
  for (const ExchangeSetting& s : sharded.settings) CHECK(s.scheduler == "buckets");
  const SearchSpace none{.algorithms = {"forest"}, .schedulers = {}, .compressors = {"none"}};
  CHECK(refusal([&] {
          search_settings(tuned_options(), none, {.strategy = "multi_worker"}, 4);
        }).starts_with("--tune finds no setting that can be simulated: forest"));
}

TEST_CASE("settings files take the place of their option") {
  CHECK(with_settings({"arlab", "train", "-w", "2"}) ==
        std::vector<std::string>{"arlab", "train", "-w", "2"});
  CHECK(with_settings({"arlab", "run", "--settings", "none"}).size() == 4);
  CHECK(refusal([] {
          with_settings({"arlab", "plan", "--settings"});
        }).starts_with("--settings needs a value"));
  CHECK(refusal([] {
          with_settings({"arlab", "train", "--settings"});
        }).starts_with("--settings needs a value"));
  CHECK(refusal([] {
          with_settings({"arlab", "train", "--settings", "--steps"});
        }).starts_with("--settings needs a value"));
  CHECK(refusal([] {
          with_settings({"arlab", "train", "--settings=a", "--settings", "b"});
        }).starts_with("--settings is given more than once"));
}
