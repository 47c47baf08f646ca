#include "simulator/topologies/build/settings.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::simulator {

Time parse_latency(std::string_view text, std::string_view what) {
  constexpr double kMax = 1e12;
  const double latency = parse_time(text, what);
  if (latency > kMax) fail(Blame::usage, concat(what, " '", text, "' is longer than a second"));
  return to_time(latency);
}

Settings::Settings(std::string_view topology, std::span<const Parameter> parameters,
                   std::span<const Setting> settings)
    : topology_(topology), parameters_(parameters) {
  for (const Setting& setting : settings) set(setting.name, setting.value);
}

void Settings::choose(std::string_view name, std::string value) {
  if (!given(name)) values_.emplace(name, std::move(value));
}

void Settings::set(std::string_view name, std::string_view value) {
  using Unit = Parameter::Unit;
  const Parameter& parameter = find_parameter(parameters_, name, topology_);
  values_.emplace(name, value);
  if (parameter.unit == Unit::sizes)
    sizes(name);
  else if (parameter.unit == Unit::count)
    count(name);
  else if (parameter.unit == Unit::time)
    time(name);
  else if (parameter.unit != Unit::number)  // a word, which the topology reads
    parse_value(parameter, value, what(name));
}

std::string_view Settings::text_of(std::string_view name) const {
  if (const auto value = values_.find(name); value != values_.end()) return value->second;
  const auto parameter = std::find_if(parameters_.begin(), parameters_.end(),
                                      [&](const auto& p) { return p.name == name; });
  expects(parameter != parameters_.end(), "a topology reads its own parameters");
  return parameter->default_value;
}

std::string Settings::what(std::string_view name) const { return concat(topology_, ": ", name); }

std::int32_t Settings::count(std::string_view name) const {
  const auto sizes = parse_sizes(text_of(name), what(name));
  if (sizes.size() != 1)
    fail(Blame::usage, concat(what(name), " '", text_of(name), "' is a list: give one number"));
  return sizes[0];
}

std::vector<std::int32_t> Settings::sizes(std::string_view name) const {
  return parse_sizes(text_of(name), what(name));
}

double Settings::ratio(std::string_view name) const {
  return parse_ratio(text_of(name), what(name));
}

double Settings::bandwidth(std::string_view name) const {
  return parse_bandwidth(text_of(name), what(name));
}

Time Settings::time(std::string_view name) const {
  return parse_latency(text_of(name), what(name));
}

bool Settings::flag(std::string_view name) const { return parse_flag(text_of(name), what(name)); }

std::string Settings::spec() const {
  std::string text(topology_);
  for (const Parameter& p : parameters_)
    if (const auto value = values_.find(p.name); value != values_.end())
      text += (text.size() == topology_.size() ? ":" : ",") + value->first + "=" + value->second;
  return text;
}

void fit_groups(Settings& settings, std::string_view groups, std::string_view hosts_of_each,
                std::int32_t hosts) {
  const std::int32_t number = settings.count(groups);
  if (settings.given(groups))
    settings.choose(hosts_of_each, (hosts + number - 1) / number);
  else
    settings.choose(groups, (hosts - 1) / settings.count(hosts_of_each) + 1);
}

}  // namespace arlab::simulator
