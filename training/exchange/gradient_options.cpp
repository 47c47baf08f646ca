#include "training/exchange/gradient_options.hpp"

#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "training/compressors/advice.hpp"
#include "training/exchange/code_units.hpp"

namespace arlab::training {

Matrix matrix_of(const Variable& v, Count first, Count elements) {
  const bool is_whole = first == 0 && elements == v.elements;
  if (!is_whole || v.shape.size() < 2 || v.shape[0] == 0) return {1, elements};
  return {v.shape[0], v.elements / v.shape[0]};
}

std::optional<Aggregation> find_aggregation(const std::string& way) {
  if (way == "requantise") return Aggregation::requantize;  // its name until 0.1
  for (const Aggregation a : kAggregations)
    if (name(a) == way) return a;
  return {};
}

std::string to_string(const GradientOptions& options) {
  std::string all = options.scheduler;
  for (const auto& [name, value] : options.scheduling)
    all += " " + name + "=" + std::to_string(value);
  if (options.compressor)
    all += ", " + text(*options.compressor) + " by " + options.aggregation + ", seed " +
           std::to_string(options.seed);
  return all;
}

CodeRoute code_route(const GradientOptions& options, std::span<const Variable> variables,
                     Rank ranks) {
  return code_route(options, code_units(options, variables), ranks);
}

CodeRoute code_route(const GradientOptions& options, const std::vector<TensorShapes>& units,
                     Rank ranks) {
  const CompressorChoice& choice = *options.compressor;
  const Advice advice = choose_aggregation(choice, units, ranks);
  if (options.aggregation == "auto") return {std::string(name(advice.aggregation)), advice.words};
  if (options.aggregation == "doubling" || options.aggregation == "balanced")
    return {options.aggregation, ""};
  const auto asked = find_aggregation(options.aggregation);
  if (!asked) {
    std::vector<std::string_view> names{"auto", "doubling", "balanced"};
    for (const Aggregation a : kAggregations) names.push_back(name(a));
    fail_unknown("aggregation", options.aggregation, names);
  }
  make_compressor(choice, {}, *asked);  // or throws
  return {std::string(name(*asked)), ""};
}

}  // namespace arlab::training
