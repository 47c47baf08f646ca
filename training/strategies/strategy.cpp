#include "training/strategies/strategy.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/error.hpp"

namespace arlab {

const StrategyKind& find_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StrategyKind& kind : strategies()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  fail(Blame::usage, "unknown strategy '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab train --help` names all)");
}

std::unique_ptr<Strategy> make_strategy(const StrategyKind& kind, const Station& station) {
  if (kind.refuses)
    if (const std::string why = kind.refuses(station); !why.empty()) fail(Blame::usage, why);
  return kind.make(station);
}

void expect_finite(std::span<const Variable> variables, Count first, std::span<const float> part,
                   Count step) {
  // A product with 0 is 0, or NaN where the number is not finite; this is vectorised.
  float zero = 0;
  for (const float x : part) zero += x * 0;
  if (zero == 0) return;
  const auto bad =
      std::find_if(part.begin(), part.end(), [](float x) { return !std::isfinite(x); });
  const Count where = first + (bad - part.begin());
  for (const Variable& v : variables)
    if (where >= v.offset && where < v.offset + v.elements)
      fail(Blame::check, "the gradient of " + v.name + " is " +
                             std::string(std::isnan(*bad) ? "no number" : "infinite") +
                             " at step " + std::to_string(step) +
                             ": the weights of the step before are kept; use a smaller --lr, "
                             "--warmup, or look for such numbers in the data");
}

void apply_all(const Station& station, const Step& step) {
  const std::span<const float> gradients = station.parameters.gradients();
  expect_finite(station.parameters.variables(), 0, gradients, step.number);
  station.optimizer.start_step(step.learning_rate);
  station.optimizer.apply(0, station.parameters.weights(), gradients);
}

void average(const Station& station, const CollectiveId& id, std::span<float> data) {
  if (station.ranks == 1 || data.empty()) return;
  if (station.serves()) std::fill(data.begin(), data.end(), 0.0F);
  station.exchange.sum(id, data);
  const float share = 1 / static_cast<float>(station.workers);
  for (float& x : data) x *= share;
}

}  // namespace arlab
