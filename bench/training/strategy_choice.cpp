#include "bench/training/strategy_choice.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace arlab::bench {

void StrategyChoice::add(CLI::App& app, const std::string& help) {
  app.add_option("-s,--strategy", spec, help)->type_name("SPEC");
}

std::string StrategyChoice::name() const { return std::string(parse_spec(spec).name); }

Values StrategyChoice::values_of(const training::StrategyKind& kind) const {
  const std::string owner = fmt::format("strategy {}", kind.name);
  Values values = parse_values(kind.parameters, parse_spec(spec).settings, owner);
  for (const auto& [parameter, value] : fixed) values.insert_or_assign(parameter, value);
  with_defaults(kind.parameters, values, owner);  // checks the ranges
  return values;
}

}  // namespace arlab::bench
