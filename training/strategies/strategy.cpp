#include "training/strategies/strategy.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"
#include "training/strategies/shard_units.hpp"

namespace arlab::training {
namespace {

std::string owner_of(const StrategyKind& kind) { return concat("strategy ", kind.name); }

std::string spec(const StrategyKind& kind, const Values& values) {
  std::string text(kind.name);
  for (const auto& [name, value] : values)
    text += concat(text.size() == kind.name.size() ? ':' : ',', name, "=", show_number(value));
  return text;
}

}  // namespace

std::optional<Strategy::Shard> Strategy::shard() const {
  return units_ ? std::optional(units_->shard()) : std::nullopt;
}

void Strategy::gather_weights() {
  if (units_) units_->gather_weights();
}

const StrategyKind& find_strategy(std::string_view name) {
  return find_named(strategies(), name, "strategy");
}

Count parameter_of(const StrategyKind& kind, const Values& values, std::string_view name,
                   Count or_else) {
  for (const Parameter& p : kind.parameters)
    if (p.name == name) {
      const auto given = values.find(name);
      return static_cast<Count>(given == values.end() ? default_of(p) : given->second);
    }
  return or_else;
}

// Fragments take turns, and delayed averages and stale gradients are in progress, after every step.
Count steps_to_settle(const StrategyKind& kind, const Values& values) {
  if (kind.equal_replicas) return 1;
  if (!kind.periodic) return parameter_of(kind, values, "staleness", 1) == 0 ? 1 : 0;
  const bool in_turns = parameter_of(kind, values, "fragments", 1) > 1;
  const bool delayed = parameter_of(kind, values, "delay", 0) > 0;
  return in_turns || delayed ? 0 : parameter_of(kind, values, "every", 1);
}

std::string text(const StrategyKind& kind, const Values& values) {
  return spec(kind, with_defaults(kind.parameters, values, owner_of(kind)));
}

std::string short_text(const StrategyKind& kind, const Values& values) {
  const Values usual = with_defaults(kind.parameters, {}, owner_of(kind));
  Values others = values;
  std::erase_if(others, [&](const auto& entry) { return usual.at(entry.first) == entry.second; });
  return spec(kind, others);
}

std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const StrategyContext& given) {
  StrategyContext context = given;
  context.options.values = with_defaults(kind.parameters, given.options.values, owner_of(kind));
  const GradientOptions& g = context.options.gradients;
  const auto refuse = [&](const std::string& what) {
    fail(Blame::usage,
         owner_of(kind) + " does not use a " + what + ": use strategy mirrored or multi_worker");
  };
  if (g.compressor && !kind.compresses) refuse("compressor");
  if (context.parameters.on_device() && !kind.on_device) refuse("device's memory");
  const bool staggered = kind.staggers && find_scheduler(g.scheduler).offset;
  if (g.scheduler != GradientOptions{}.scheduler && !kind.schedules && !staggered)
    refuse("scheduler");
  if (kind.unsupported_reason)
    if (const std::string why = kind.unsupported_reason(context); !why.empty())
      fail(Blame::usage, why);
  using Kind = OptimizerOptions::Kind;
  if (g.compressor && g.compressor->kind->optimizer != "any" &&
      context.optimizer.options().kind != Kind::sgd &&
      context.optimizer.options().kind != Kind::none)
    fail(Blame::usage, "compressor " + std::string(g.compressor->kind->name) +
                           " requires optimizer " + std::string(g.compressor->kind->optimizer) +
                           ", not " + std::string(name(context.optimizer.options().kind)) +
                           ": use optimizer sgd");
  return kind.make(context);
}

void apply_all(const StrategyContext& context, const Step& step) {
  GradientParts parts(context.parameters, context.optimizer);
  parts.expect_finite(0, parts.elements(), step.number);
  context.optimizer.start_step(step.learning_rate);
  parts.apply(0, parts.elements());
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
