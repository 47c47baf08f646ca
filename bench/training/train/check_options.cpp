#include "bench/training/train/check_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "training/io/protobuf.hpp"
#include "training/schedulers/scheduler.hpp"

namespace arlab::bench {
namespace {

using training::StrategyKind;

const StrategyKind& strategy_of(const TrainConfig& c) {
  return training::find_strategy(c.learning.strategy);
}

std::string_view route_of(const TrainConfig& c) {
  return c.learning.route.empty() ? strategy_of(c).route : std::string_view(c.learning.route);
}

bool uses_groups(const TrainConfig& c) {
  if (strategy_of(c).direct) return false;
  if (strategy_of(c).grouped) return true;
  for (const Algorithm& a : algorithms())
    if (a.grouped && a.name == route_of(c).substr(0, route_of(c).find(':'))) return true;
  return route_of(c) == "auto";
}

bool is_virtual(const TrainConfig& c) {
  return c.backend->placement == collectives::Placement::emulated;
}

bool takes_scheduler(const TrainConfig& c) {
  return strategy_of(c).schedules || strategy_of(c).staggers;
}

std::string names_where(bool (*has)(const StrategyKind&)) {
  std::string all;
  for (const StrategyKind& kind : training::strategies())
    if (has(kind)) all += fmt::format("{}{}", all.empty() ? "" : " or ", kind.name);
  return all;
}

Count most_samples(const TrainConfig& c) { return (c.batch + c.workers - 1) / c.workers; }

}  // namespace

void check_values(const TrainOptions& options) {
  const std::string& aggregation = options.aggregation;
  std::vector<std::string_view> known{"auto", "doubling", "balanced"};
  for (const training::Aggregation a : training::kAggregations) known.push_back(name(a));
  if (std::find(known.begin(), known.end(), aggregation) == known.end())
    fail_unknown("aggregation", aggregation, known);
  if (!options.tensorboard.empty())
    training::require_protobuf(fmt::format("--tensorboard {}: ", options.tensorboard));
  if (options.given("--target") && !(options.target > 0 && options.target <= 1))
    fail(Blame::usage,
         fmt::format("--target is {}: give an accuracy above 0 and at most 1, such as 0.95",
                     options.target));
  if (options.policy.best_only && options.policy.every_steps > 0)
    fail(Blame::usage,
         fmt::format("--checkpoint every={} saves within epochs, and best_only=on compares "
                     "validation losses, which are known at their ends: leave one out",
                     options.policy.every_steps));
  options.feed.check_values();
  options.rates.check_values(options.learning);
  options.check_compute();
  options.world().check_values();
}

// Records have a port's rate or a topology.
void check_virtual_networks(const VirtualRun& world) {
  for (const std::string& word : world.network_words()) {
    if (is_port_rate(word)) continue;
    if (parse_network_spec(word).topology != word)
      fail(Blame::usage,
           fmt::format("--network {} is neither a rate nor a topology, which train with virtual "
                       "ranks needs: give one, or use `arlab replay`, which takes any network",
                       word));
  }
}

// A recording is of one worker, which trains no epoch.
void check_recording(const TrainOptions& options) {
  if (options.record_profile.empty() || options.tunes()) return;
  for (const std::string_view option :
       {"--workers", "--backend", "--strategy", "--algorithm", "--scheduler", "--compressor",
        "--exchange", "--compute", "--network", "--timeout", "--epochs", "--steps", "--lr",
        "--target", "--checkpoint", "--tensorboard", "--trace", "--json", "--csv"})
    options.needs(option, false, "a training, which --record-profile is not");
  if (options.device != "cpu")
    fail_without_effect("--device " + options.device, "a training: --record-profile is of a CPU");
}

void check_effects(const TrainOptions& options, const std::vector<TrainConfig>& configs) {
  check_recording(options);
  const auto needs = [&](std::string_view what, bool has_effect, std::string_view needed) {
    options.needs(what, has_effect, needed);
  };
  const auto any = [&](auto has) { return std::any_of(configs.begin(), configs.end(), has); };
  const auto any_kind = [&](bool (*has)(const StrategyKind&)) {
    return any([&](const TrainConfig& c) { return has(strategy_of(c)); });
  };
  const auto strategy = [](bool (*has)(const StrategyKind&)) {
    return fmt::format("strategy {}", names_where(has));
  };
  const auto is_equal = [](const StrategyKind& k) { return k.equal_replicas; };
  const auto uses_route = [](const StrategyKind& k) { return !k.direct; };
  needs("--exchange check_every", any_kind(is_equal), strategy(is_equal));
  if (options.rates.sets_momentum && !any([](const TrainConfig& c) {
        return c.learning.optimizer.kind == training::OptimizerKind::momentum;
      }))
    fail_without_effect("--optimizer momentum", "--optimizer momentum:momentum=NUMBER");
  needs("--algorithm", any_kind(uses_route),
        "a strategy that does not send gradients from rank to rank itself");
  needs("--exchange segments",
        any([](const TrainConfig& c) { return !strategy_of(c).direct && route_of(c) != "native"; }),
        "an algorithm of our own, such as ring");
  needs("--exchange groups", any(uses_groups), "--algorithm hierarchical or --strategy hsdp");
  needs("--scheduler", any(takes_scheduler),
        strategy([](const StrategyKind& k) { return k.schedules; }));
  const bool compresses =
      any([](const TrainConfig& c) { return c.learning.options.gradients.compressor.has_value(); });
  needs("--exchange aggregation", compresses, "--compressor");
  needs("--compute codec", compresses, "--compressor");
  needs("--target", options.tunes() || (configs.size() > 1 && is_virtual(configs.front())),
        "several runs of --backend virtual, or --tune");
  const bool emulated = !configs.empty() && is_virtual(configs.front());
  needs("--network", options.tunes() || emulated, "--backend virtual or --tune");
  if (emulated) check_virtual_networks(options.world());
  if (options.sets_warmup && emulated)
    fail_without_effect("--steps warmup", "real ranks: virtual ones take the same time throughout");
  if (options.feed.threads && emulated)
    fail_without_effect("--input threads", "real ranks: virtual ones wait for no input");
  needs("--timeout", !emulated, "real ranks: virtual ones find a deadlock at once");
  for (const std::string_view setting : VirtualRun::kSettings)
    needs(setting, emulated, "--backend virtual");
  const bool reads_files = options.data.starts_with("idx:") || options.data.starts_with("cifar10:");
  if (options.sets_samples && reads_files)
    fail_without_effect("--data samples", "--data synthetic");
  if (options.sets_policy && options.checkpoint.empty())
    fail(Blame::usage, "--checkpoint has settings, but no folder: name one, as in run1:every=100");
  for (const TrainConfig& c : configs)
    if (const Count most = most_samples(c); options.micro_batches > most)
      fail(Blame::usage,
           fmt::format(
               "--compute micro_batches is {}, but a worker has at most {} of {} samples per step: "
               "give at most {}",
               options.micro_batches, most, c.batch, most));
}

std::string note_on_single_worker(const TrainOptions& options,
                                  const std::vector<TrainConfig>& configs) {
  if (std::any_of(configs.begin(), configs.end(), [](const TrainConfig& c) { return c.ranks > 1; }))
    return "";
  std::string names;
  for (const std::string_view option :
       {"--algorithm", "--exchange segments", "--exchange groups", "--scheduler",
        "--exchange overlap", "--exchange check_every"})
    if (options.given(option)) names += fmt::format("{}{}", names.empty() ? "" : ", ", option);
  if (options.feed.sharding != FeedOptions{}.sharding)
    names += fmt::format("{}--input sharding", names.empty() ? "" : ", ");
  return names.empty() ? ""
                       : fmt::format("a single worker exchanges nothing: {} without effect", names);
}

}  // namespace arlab::bench
