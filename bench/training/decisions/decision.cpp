#include "bench/training/decisions/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "algorithms/base/parameters.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kCompressors[] = {"fp16", "int8", "powersgd:rank=4", "topk:ratio=0.01",
                                        "onebit"};
constexpr int kBuckets[] = {1, 5, 10, 25, 50, 100, 200};  // MiB

class StepTimes {
 public:
  StepTimes(const ScaleOptions& options, const training::ModelProfile& profile, Rank gpus)
      : options_(options), profile_(profile), gpus_(gpus) {}

  /// Whether the strategy and some algorithm can exchange the codes.
  bool can(const ScaleNetwork& network, const std::string& compressor) const {
    const auto [plan, make] = planned(network, options_.schedulers.front(), compressor);
    return unsupported_compression(plan).empty() && unsupported_algorithm(plan).empty();
  }
  /// Whether a compressor that no one has named is worth its simulation.
  bool is_candidate(const ScaleNetwork& network, const std::string& compressor) const {
    constexpr Count kMostMessages = 1'100'000;  // to the owners of chunks, over links
    const training::TrainingPlan plan =
        options_.plan(profile_, options_.schedulers.front(), compressor, gpus_);
    const bool is_quick = network.has_ports() ||
                          plan.compression->aggregation != training::Aggregation::requantize ||
                          Count{plan.ranks} * (plan.ranks - 1) <= kMostMessages;
    return is_quick && shrinks(profile_, plan.compression->choice);
  }
  double of(const ScaleNetwork& network, const std::string& scheduler,
            const std::string& compressor) const {
    const auto [plan, make] = planned(network, scheduler, compressor);
    return training::simulate_training(plan, make, training::Ranks::one_for_all).step();
  }
  double without(const ScaleNetwork& network) const {
    const auto [plain, is_new] = without_.try_emplace(network.text());
    if (is_new) plain->second = of(network, options_.schedulers.front(), "none");
    return plain->second;
  }
  double saved(const ScaleNetwork& network, const std::string& compressor) const {
    return 1 - of(network, options_.schedulers.front(), compressor) / without(network);
  }
  /// On ports of another rate, with the latency that `spec` says.
  bool pays_at(double rate, const std::string& spec, const std::string& compressor) const {
    const std::size_t colon = spec.find(':');
    const std::string settings = colon == std::string::npos ? "" : spec.substr(colon);
    const ScaleNetwork ports(fmt::format("{:.6f}G{}", rate / 1e9, settings), options_.seed);
    return saved(ports, compressor) >= kWorthwhile;
  }

 private:
  std::pair<training::TrainingPlan, training::MakeNetwork> planned(
      const ScaleNetwork& network, const std::string& scheduler,
      const std::string& compressor) const {
    training::TrainingPlan plan = options_.plan(profile_, scheduler, compressor, gpus_);
    training::MakeNetwork make = options_.place(plan, profile_, network);
    plan.algorithm = &choose_algorithm(options_.algorithms.front(), plan, make);
    // Codes are gathered, which not every algorithm for sums can do.
    if (!unsupported_algorithm(plan).empty())
      plan.algorithm = &choose_algorithm("auto", plan, make);
    return {std::move(plan), std::move(make)};
  }

  const ScaleOptions& options_;
  const training::ModelProfile& profile_;
  Rank gpus_;
  mutable std::map<std::string, double> without_;  // step without compression, by network
};

// The highest rate at which the compressor pays. What it saves need not fall steadily with the
// rate, since buckets come to fit behind the backward pass one by one: so it is asked at each
// doubling, from above.
std::optional<double> highest_rate(const StepTimes& steps, const std::string& spec,
                                   const std::string& compressor) {
  double rate = kMostRate;
  while (rate >= kLeastRate && !steps.pays_at(rate, spec, compressor)) rate /= 2;
  if (rate < kLeastRate) return std::nullopt;
  if (rate == kMostRate) return rate;
  double pays = rate, does_not = 2 * rate;
  while (does_not / pays > 1.01) {
    const double middle = std::sqrt(pays * does_not);
    (steps.pays_at(middle, spec, compressor) ? pays : does_not) = middle;
  }
  return pays;
}

}  // namespace

Decision decide(const ScaleOptions& options, const training::ModelProfile& profile,
                const ScaleNetwork& network, Rank gpus, bool rates) {
  const StepTimes steps(options, profile, gpus);
  Decision decision{.model = profile.name,
                    .device = profile.device,
                    .network = network.text(),
                    .gpus = gpus,
                    .step = steps.without(network),
                    .knows_rates = rates};
  const training::StrategyKind& kind = training::find_strategy(options.strategy.name());
  const std::string& scheduler = options.schedulers.front();
  const training::SchedulerKind& order = training::find_scheduler(parse_spec(scheduler).name);
  const std::string& given = options.compressors.front();
  std::vector<std::string> candidates(std::begin(kCompressors), std::end(kCompressors));
  if (given != "none") candidates = {given};
  if (kind.compresses && !order.halves) {
    for (const std::string& one : candidates) {
      if (given == "none" && !steps.is_candidate(network, one)) continue;
      if (!steps.can(network, one)) continue;
      Payoff payoff{.compressor = one, .step = steps.of(network, scheduler, one)};
      payoff.saves = 1 - payoff.step / decision.step;
      if (rates) payoff.pays_below = highest_rate(steps, network.text(), one);
      decision.payoffs.push_back(std::move(payoff));
    }
    std::ranges::sort(decision.payoffs, std::greater{}, &Payoff::saves);
  }
  const bool sized =
      std::ranges::count(order.parameters, std::string_view("bucket"), &Parameter::name) > 0;
  if (kind.schedules && !kind.sharded && sized) {
    const double now = steps.of(network, scheduler, given);
    double best = now;
    for (const int mib : kBuckets) {
      const std::string spec = fmt::format("{}:bucket={}M", order.name, mib);
      const double step = steps.of(network, spec, given);
      if (step < best * (1 - 1e-9)) best = step, decision.scheduler = spec;
    }
    decision.scheduler_saves = 1 - best / now;
  }
  return decision;
}

}  // namespace arlab::bench
