#include "algorithms/base/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

std::string who(std::string_view parameter, std::string_view owner) {
  return concat("parameter ", parameter, " of ", owner);
}

void check_range(const Parameter& p, double value, std::string_view owner) {
  const bool whole = p.unit == Parameter::Unit::count;
  if (std::isfinite(value) && value >= p.min && value <= p.max &&
      (!whole || value == std::floor(value)))
    return;
  const std::string range = std::isinf(p.max)
                                ? show_number(p.min) + " or more"
                                : "from " + show_number(p.min) + " to " + show_number(p.max);
  fail(Blame::usage,
       concat(who(p.name, owner), " is ", show_number(value), ": give a ",
              whole ? "whole number " : "number ", std::isinf(p.max) ? "of " : "", range));
}

}  // namespace

std::string_view name(Parameter::Unit unit) {
  constexpr std::string_view kNames[] = {"time",  "time_per_byte", "bytes", "number",
                                         "count", "sizes",         "ratio", "bandwidth",
                                         "flag",  "algorithm"};
  return kNames[static_cast<std::size_t>(unit)];
}

double parse_value(const Parameter& parameter, std::string_view text, std::string_view what) {
  switch (parameter.unit) {
    case Parameter::Unit::time:
      return parse_time(text, what);
    case Parameter::Unit::time_per_byte:
      return parse_time_per_byte(text, what);
    case Parameter::Unit::bytes:
    case Parameter::Unit::count:
      return static_cast<double>(parse_count(text, what));
    case Parameter::Unit::number:
      return parse_number(text, what);
    case Parameter::Unit::ratio:
      return parse_ratio(text, what);
    case Parameter::Unit::bandwidth:
      return parse_bandwidth(text, what);
    case Parameter::Unit::flag:
      return parse_flag(text, what) ? 1 : 0;
    case Parameter::Unit::sizes:
    case Parameter::Unit::algorithm:
      break;
  }
  fail(Blame::check, concat(what, " is of kind ", name(parameter.unit), ", not a number"));
}

double default_of(const Parameter& parameter) {
  return parse_value(parameter, parameter.default_value, parameter.name);
}

std::string show_value(const Parameter& parameter, double value) {
  switch (parameter.unit) {
    case Parameter::Unit::time:
    case Parameter::Unit::time_per_byte:
      return show_picoseconds(value);
    case Parameter::Unit::bandwidth:
      return show_number(value) + "B/s";
    case Parameter::Unit::flag:
      return value != 0 ? "yes" : "no";
    default:
      return show_number(value);
  }
}

const Parameter& find_parameter(std::span<const Parameter> parameters, std::string_view name,
                                std::string_view owner) {
  for (const Parameter& p : parameters)
    if (p.name == name) return p;
  const auto names = names_of(parameters);
  std::string all;
  for (const std::string_view known : names) all += concat(all.empty() ? "" : ", ", known);
  fail(Blame::usage, concat(owner, " has no parameter '", name, "'", did_you_mean(name, names),
                            " (it has ", all.empty() ? "none" : all, ")"));
}

Values with_defaults(std::span<const Parameter> parameters, const Values& values,
                     std::string_view owner) {
  Values all;
  for (const Parameter& p : parameters) {
    const auto given = values.find(p.name);
    const double value = given == values.end() ? default_of(p) : given->second;
    check_range(p, value, owner);
    all.emplace(p.name, value);
  }
  return all;
}

void expect_known(std::span<const Parameter> parameters, const Values& values,
                  std::string_view owner) {
  for (const auto& [name, value] : values) find_parameter(parameters, name, owner);
}

NamedSettings parse_spec(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  NamedSettings parsed{trimmed(spec.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return parsed;
  std::string_view rest = spec.substr(colon + 1);
  if (trimmed(rest).empty())
    fail(Blame::usage, concat("'", trimmed(spec), "' has no setting after the colon: write ",
                              parsed.name, " or ", parsed.name, ":name=value"));
  for (;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = trimmed(rest.substr(0, comma));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      fail(Blame::usage,
           concat(parsed.name, ": setting '", part, "' has no value: write name=value"));
    const Setting setting{trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1))};
    const auto same = [&](const Setting& earlier) { return earlier.name == setting.name; };
    if (std::any_of(parsed.settings.begin(), parsed.settings.end(), same))
      fail(Blame::usage, concat(parsed.name, ": '", setting.name, "' is set twice: set it once"));
    parsed.settings.push_back(setting);
    if (comma == std::string_view::npos) return parsed;
    rest.remove_prefix(comma + 1);
  }
}

Values parse_values(std::span<const Parameter> parameters, std::span<const Setting> settings,
                    std::string_view owner) {
  Values values;
  for (const Setting& setting : settings) {
    const Parameter& parameter = find_parameter(parameters, setting.name, owner);
    values.emplace(setting.name, parse_value(parameter, setting.value, who(setting.name, owner)));
  }
  return values;
}

}  // namespace arlab
