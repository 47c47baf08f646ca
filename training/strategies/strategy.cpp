#include "training/strategies/strategy.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::training {

const StrategyKind& find_strategy(std::string_view name) {
  return find_named(strategies(), name, "strategy");
}

std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const StrategyContext& station) {
  const GradientOptions& g = station.options.gradients;
  const auto refuse = [&](const std::string& what) {
    fail(Blame::usage, "strategy " + std::string(kind.name) + " has no use for a " + what +
                           ": use --strategy mirrored or multi_worker");
  };
  if (g.compressor && !kind.compresses) refuse("compressor");
  const bool staggered = kind.staggers && find_scheduler(g.scheduler).offset;
  if (g.scheduler != GradientOptions{}.scheduler && !kind.schedules && !staggered)
    refuse("scheduler");
  using Kind = OptimizerOptions::Kind;
  if (g.compressor && g.compressor->kind->optimiser != "any" &&
      station.optimizer.options().kind != Kind::sgd)
    fail(Blame::usage, "compressor " + std::string(g.compressor->kind->name) +
                           " must be followed by " + std::string(g.compressor->kind->optimiser) +
                           ", not " + std::string(name(station.optimizer.options().kind)) +
                           ": use --optimizer sgd");
  if (kind.unsupported_reason)
    if (const std::string why = kind.unsupported_reason(station); !why.empty())
      fail(Blame::usage, why);
  return kind.make(station);
}

void apply_all(const StrategyContext& station, const Step& step) {
  const std::span<const float> gradients = station.parameters.gradients();
  expect_finite(station.parameters.variables(), 0, gradients, step.number);
  station.optimizer.start_step(step.learning_rate);
  station.optimizer.apply(0, station.parameters.weights(), gradients);
}

void average(const StrategyContext& station, const CollectiveId& id, std::span<float> data) {
  if (station.ranks == 1 || data.empty()) return;
  if (station.serves()) std::fill(data.begin(), data.end(), 0.0F);
  station.exchange.sum(id, data);
  const float share = 1 / static_cast<float>(station.workers);
  for (float& x : data) x *= share;
}

}  // namespace arlab::training
