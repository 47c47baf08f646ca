#include "bench/training/profiled/tune_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/training/profiled/scale_options.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::bench {
namespace {

constexpr double kWorthIt = 0.01;  // of a step

const std::vector<std::string> kAlgorithms{
    "ring", "bidirectional_ring", "circulant", "rabenseifner", "tree", "hierarchical"};

std::vector<std::string> usual_schedulers() {
  std::vector<std::string> all{"buckets", "fifo", "mg_wfbp", "dear"};
  for (const char* size : {"1M", "4M", "16M", "64M", "256M"})
    all.push_back(fmt::format("buckets:first_bucket={0},bucket={0}", size));
  for (const char* size : {"1M", "4M"}) all.push_back(fmt::format("priority:slice={}", size));
  return all;
}

ScaleOptions scale_options(const ReplayOptions& options, const training::TrainerOptions& learning) {
  ScaleOptions scale = options;
  scale.set_strategy(learning);
  scale.codec_cost = options.search_codec_cost();
  return scale;
}

// Throws Error(usage) for a setting that does not work.
double simulated_step(const SearchedTraining& searched, const ScaleNetwork& network,
                      const ExchangeSetting& setting) {
  training::TrainingPlan plan = searched.scale.plan(searched.profile, setting.scheduler,
                                                    setting.compressor, searched.workers);
  if (plan.compression && searched.codec)
    plan.compression->codec = searched.codec(setting.compressor);
  const training::MakeNetwork make = searched.scale.place(plan, searched.profile, network);
  plan.algorithm = &find_algorithm(setting.algorithm);
  return simulate_training(plan, make, training::Ranks::one_for_all).step() / kPicosecondsPerSecond;
}

}  // namespace

bool same_setting(const ExchangeSetting& a, const ExchangeSetting& b) {
  return a.algorithm == b.algorithm && a.scheduler == b.scheduler && a.compressor == b.compressor;
}

std::string words_of(const ExchangeSetting& s) {
  return fmt::format("{}, {}{}", s.algorithm, s.scheduler,
                     s.compressor == "none" ? "" : ", " + s.compressor);
}

SettingsSearch search_settings(const ReplayOptions& options, const SearchSpace& space,
                               const training::TrainerOptions& learning, Rank workers) {
  const ScaleOptions scale = scale_options(options, learning);
  return search_settings(
      {.scale = scale, .profile = scale.on_each(scale.profile(), workers), .workers = workers},
      space);
}

SettingsSearch search_settings(const SearchedTraining& searched, const SearchSpace& space) {
  const std::vector<ScaleNetwork> networks = searched.scale.parsed_networks();
  const training::StrategyKind& kind = training::find_strategy(searched.scale.strategy.name());
  if (kind.direct)
    fail(Blame::usage, fmt::format("--tune finds no setting of strategy {}, which uses neither an "
                                   "algorithm nor a scheduler of buckets: use strategy mirrored",
                                   kind.name));
  const std::vector<std::string>& algorithms =
      space.algorithms.empty() ? kAlgorithms : space.algorithms;
  std::vector<std::string> schedulers = space.schedulers;
  if (schedulers.empty())
    schedulers = kind.schedules ? usual_schedulers() : std::vector<std::string>{"buckets"};
  SettingsSearch search;
  for (const std::string& algorithm : algorithms)
    for (const std::string& scheduler : schedulers)
      for (const std::string& compressor : space.compressors) {
        ExchangeSetting setting{algorithm, scheduler, compressor};
        try {
          setting.simulated = simulated_step(searched, networks.front(), setting);
          search.settings.push_back(std::move(setting));
        } catch (const Error& error) {
          if (error.blame() != Blame::usage) throw;
          if (search.left_out++ == 0)
            search.reason = fmt::format("{}: {}", words_of(setting), error.what());
        }
      }
  if (search.settings.empty())
    fail(Blame::usage,
         fmt::format("--tune finds no setting that can be simulated: {}", search.reason));
  std::stable_sort(search.settings.begin(), search.settings.end(),
                   [](const auto& a, const auto& b) { return a.simulated < b.simulated; });
  return search;
}

bool is_worth_it(double before, double after) { return after < (1 - kWorthIt) * before; }

std::size_t choose_setting(const std::vector<ConfirmedSetting>& confirmed) {
  const auto best =
      std::min_element(confirmed.begin(), confirmed.end(),
                       [](const auto& a, const auto& b) { return a.result.step < b.result.step; });
  const bool pays = is_worth_it(confirmed.front().result.step, best->result.step);
  return pays ? static_cast<std::size_t>(best - confirmed.begin()) : 0;
}

std::string tuning_table(const std::vector<ConfirmedSetting>& confirmed) {
  std::vector<std::vector<std::string>> rows;
  const double before = confirmed.front().result.step;
  for (const ConfirmedSetting& c : confirmed)
    rows.push_back({c.setting.algorithm, c.setting.scheduler, c.setting.compressor,
                    c.setting.simulated > 0 ? show_time(1e6 * c.setting.simulated) : "",
                    show_time(1e6 * c.result.step),
                    fmt::format("{:+.1f}%", 100 * (c.result.step / before - 1))});
  return compact({"algorithm", "scheduler", "compressor", "simulated", "step", "change"}, rows);
}

std::string setting_lines(const ExchangeSetting& setting, const training::StrategyKind& strategy) {
  std::string text = fmt::format("--algorithm {}\n", setting.algorithm);
  if (strategy.schedules) text += fmt::format("--scheduler {}\n", setting.scheduler);
  if (setting.compressor != "none") text += fmt::format("--compressor {}\n", setting.compressor);
  return text;
}

std::string settings_text(const std::vector<ConfirmedSetting>& confirmed, std::size_t chosen) {
  const ConfirmedSetting& c = confirmed[chosen];
  const ReplayConfig& run = c.result.config;
  return fmt::format(
             "# arlab train --settings: {} on {}, backend {}{}, strategy {}\n"
             "# {} per step; {} with the first setting that was tried, {}\n",
             run.profile->name, show_plural(run.workers, "worker"), run.backend,
             run.network.empty() ? "" : " " + run.network, run.learning.strategy,
             show_time(1e6 * c.result.step), show_time(1e6 * confirmed.front().result.step),
             words_of(confirmed.front().setting)) +
         setting_lines(c.setting, training::find_strategy(run.learning.strategy));
}

}  // namespace arlab::bench
