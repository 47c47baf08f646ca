#include "bench/training/strategy_choice.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/options/old_names.hpp"
#include "bench/options/options.hpp"

namespace arlab::bench {
namespace {

bool has(const training::StrategyKind& kind, std::string_view parameter) {
  return std::ranges::any_of(kind.parameters,
                             [&](const Parameter& p) { return p.name == parameter; });
}

std::string strategies_with(std::string_view parameter) {
  std::string all;
  for (const training::StrategyKind& kind : training::strategies())
    if (has(kind, parameter)) all += fmt::format("{}{}", all.empty() ? "" : " or ", kind.name);
  return all;
}

}  // namespace

void StrategyChoice::add(CLI::App& app, const std::string& help) {
  app.add_option("-s,--strategy", spec, help)->type_name("SPEC");
  constexpr const char* kOld[][3] = {{"--servers", "servers", "parameter_server"},
                                     {"--bound", "staleness", "stale_synchronous"},
                                     {"--every", "every", "local_sgd"},
                                     {"--outer-rate", "outer_rate", "diloco"},
                                     {"--outer-momentum", "outer_momentum", "diloco"},
                                     {"--fragments", "fragments", "diloco"},
                                     {"--delay", "delay", "diloco"},
                                     {"--mix", "mix", "diloco"}};
  for (const auto& [option, parameter, strategy] : kOld)
    add_old_option(app, option, fmt::format("--strategy {}:{}={{}}", strategy, parameter),
                   [this, option = std::string(option),
                    parameter = std::string(parameter)](const std::string& value) {
                     old_options.push_back({option, parameter, value});
                   });
}

std::string StrategyChoice::name() const { return std::string(parse_spec(spec).name); }

Values StrategyChoice::values_of(const training::StrategyKind& kind) const {
  const std::string owner = fmt::format("strategy {}", kind.name);
  Values values = parse_values(kind.parameters, parse_spec(spec).settings, owner);
  for (const auto& [option, parameter, value] : old_options) {
    if (!has(kind, parameter))
      fail_without_effect(option, "strategy " + strategies_with(parameter));
    const Setting setting{parameter, value};
    const Values one = parse_values(kind.parameters, {&setting, 1}, owner);
    if (!values.insert(*one.begin()).second)
      fail(Blame::usage, fmt::format("{} is given, and so is {} of {}: leave {} out", option,
                                     parameter, owner, option));
  }
  for (const auto& [parameter, value] : fixed) values.insert_or_assign(parameter, value);
  with_defaults(kind.parameters, values, owner);  // checks the ranges
  return values;
}

}  // namespace arlab::bench
