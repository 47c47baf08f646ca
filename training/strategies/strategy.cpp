#include "training/strategies/strategy.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::training {

const StrategyKind& find_strategy(std::string_view name) {
  return find_named(strategies(), name, "strategy");
}

std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const StrategyContext& context) {
  const GradientOptions& g = context.options.gradients;
  const auto refuse = [&](const std::string& what) {
    fail(Blame::usage, "strategy " + std::string(kind.name) + " does not use a " + what +
                           ": use strategy mirrored or multi_worker");
  };
  if (g.compressor && !kind.compresses) refuse("compressor");
  if (context.parameters.on_device() && !kind.on_device) refuse("device's memory");
  const bool staggered = kind.staggers && find_scheduler(g.scheduler).offset;
  if (g.scheduler != GradientOptions{}.scheduler && !kind.schedules && !staggered)
    refuse("scheduler");
  using Kind = OptimizerOptions::Kind;
  if (g.compressor && g.compressor->kind->optimizer != "any" &&
      context.optimizer.options().kind != Kind::sgd &&
      context.optimizer.options().kind != Kind::none)
    fail(Blame::usage, "compressor " + std::string(g.compressor->kind->name) +
                           " requires optimizer " + std::string(g.compressor->kind->optimizer) +
                           ", not " + std::string(name(context.optimizer.options().kind)) +
                           ": use optimizer sgd");
  if (kind.unsupported_reason)
    if (const std::string why = kind.unsupported_reason(context); !why.empty())
      fail(Blame::usage, why);
  return kind.make(context);
}

void apply_all(const StrategyContext& context, const Step& step) {
  GradientParts parts(context.parameters, context.optimizer);
  parts.expect_finite(0, parts.elements(), step.number);
  context.optimizer.start_step(step.learning_rate);
  parts.apply(0, parts.elements());
}

std::string refuse_interval(const StrategyContext& context) {
  if (context.options.every >= 1) return "";
  return "a periodic strategy averages every " + std::to_string(context.options.every) +
         " steps: use at least 1, such as 8";
}

void weigh(std::span<float> data, const SampleShare& share, Rank workers) {
  const auto times = static_cast<float>(share.of(workers));
  if (times == 1) return;
  for (float& x : data) x *= times;
}

void average(const StrategyContext& context, const CollectiveId& id, std::span<float> data,
             const SampleShare& share) {
  if (context.ranks == 1 || data.empty()) return;
  if (!context.serves()) weigh(data, share, context.workers);
  if (context.serves()) std::fill(data.begin(), data.end(), 0.0F);
  context.exchange.sum(id, data);
  const float each = 1 / static_cast<float>(context.workers);
  for (float& x : data) x *= each;
}

}  // namespace arlab::training
