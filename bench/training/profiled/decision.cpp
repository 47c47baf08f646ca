#include "bench/training/profiled/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kCompressors[] = {"fp16", "int8", "powersgd:rank=4", "topk:ratio=0.01",
                                        "onebit"};
constexpr int kBuckets[] = {1, 5, 10, 25, 50, 100, 200};  // MiB
constexpr double kLeastRate = 1e8, kMostRate = 3.2e12;    // bit/s

class StepTimes {
 public:
  StepTimes(const ScaleOptions& options, const training::ModelProfile& profile, Rank gpus)
      : options_(options), profile_(profile), gpus_(gpus) {}

  double of(const ScaleNetwork& network, const std::string& scheduler,
            const std::string& compressor) const {
    training::TrainingPlan plan = options_.plan(profile_, scheduler, compressor, gpus_);
    const training::MakeNetwork make = options_.place(plan, profile_, network);
    plan.algorithm = &choose_algorithm(options_.algorithms.front(), plan, make);
    // Codes are gathered, which not every algorithm for sums can do.
    if (!unsupported_algorithm(plan).empty())
      plan.algorithm = &choose_algorithm("auto", plan, make);
    return training::simulate_training(plan, make, training::Ranks::one_for_all).period();
  }
  double saved(const ScaleNetwork& network, const std::string& compressor) const {
    const std::string& scheduler = options_.schedulers.front();
    const auto [plain, is_new] = without_.try_emplace(network.text());
    if (is_new) plain->second = of(network, scheduler, "none");
    return 1 - of(network, scheduler, compressor) / plain->second;
  }
  /// On ports of another rate, with the latency that `spec` says.
  bool pays_at(double rate, const std::string& spec, const std::string& compressor) const {
    const std::size_t colon = spec.find(':');
    const std::string settings = colon == std::string::npos ? "" : spec.substr(colon);
    const ScaleNetwork ports(fmt::format("{:.6f}G{}", rate / 1e9, settings), options_.seed);
    return saved(ports, compressor) >= kWorthwhile;
  }

 private:
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

std::string whole_percent(double part) { return fmt::format("{:.0f}%", 100 * part); }

// "fp16 below 55 Gbit/s"
std::string payoff_by_rate(const Payoff& payoff) {
  if (!payoff.pays_below) return payoff.compressor + " at no rate";
  if (*payoff.pays_below == kMostRate) return payoff.compressor + " at any rate";
  return fmt::format("{} below {:.3g} Gbit/s", payoff.compressor, *payoff.pays_below / 1e9);
}

void append(std::string& list, const std::string& one) { list += (list.empty() ? "" : ", ") + one; }

}  // namespace

Decision decide(const ScaleOptions& options, const training::ModelProfile& profile,
                const ScaleNetwork& network, Rank gpus, bool rates) {
  const StepTimes steps(options, profile, gpus);
  Decision decision{.network = network.text(), .gpus = gpus, .knows_rates = rates};
  const training::StrategyKind& kind = training::find_strategy(options.strategy.name());
  const std::string& scheduler = options.schedulers.front();
  const training::SchedulerKind& order = training::find_scheduler(parse_spec(scheduler).name);
  const std::string& given = options.compressors.front();
  std::vector<std::string> candidates(std::begin(kCompressors), std::end(kCompressors));
  if (given != "none") candidates = {given};
  if (kind.compresses && !order.halves) {
    for (const std::string& one : candidates) {
      try {
        Payoff payoff{.compressor = one, .saves = steps.saved(network, one)};
        if (rates) payoff.pays_below = highest_rate(steps, network.text(), one);
        decision.payoffs.push_back(std::move(payoff));
      } catch (const Error& error) {  // the strategy cannot exchange these codes
        if (error.blame() != Blame::usage) throw;
      }
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

std::vector<std::string> explain(const Decision& decision) {
  std::string pays, does_not, rates;
  for (const Payoff& one : decision.payoffs) {
    if (one.saves >= kWorthwhile)
      append(pays, fmt::format("{}{} with {}", whole_percent(one.saves),
                               pays.empty() ? " shorter" : "", one.compressor));
    else
      append(does_not, one.compressor);
    if (decision.knows_rates) append(rates, payoff_by_rate(one));
  }
  std::vector<std::string> sentences;
  if (!decision.payoffs.empty()) {
    std::string text =
        fmt::format("Does compression pay on {} GPUs, {}? ", decision.gpus, decision.network);
    if (pays.empty())
      text += fmt::format("No: none of {} makes a step 1% shorter.", does_not);
    else
      text += fmt::format("Yes: a step is {}.", pays);
    if (!pays.empty() && !does_not.empty()) text += fmt::format(" Less than 1%: {}.", does_not);
    if (!rates.empty())
      text +=
          fmt::format(" By the rate of a port: {}.", rates.replace(rates.find(' '), 1, " pays "));
    text += " A plan does not know what that does to accuracy.";
    sentences.push_back(std::move(text));
  }
  if (!decision.scheduler.empty() && decision.scheduler_saves >= kWorthwhile)
    sentences.push_back(fmt::format("Best buckets on {}: a step is {} shorter with --scheduler {}.",
                                    decision.network, whole_percent(decision.scheduler_saves),
                                    decision.scheduler));
  return sentences;
}

}  // namespace arlab::bench
