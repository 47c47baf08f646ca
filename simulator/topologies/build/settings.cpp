#include "simulator/topologies/build/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/number.hpp"

namespace arlab::simulator {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view hint) {
  fail(Blame::usage, std::string(what) + " '" + std::string(text) + "' " + std::string(hint));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A finite number and what follows it.
std::pair<double, std::string_view> number_and_unit(std::string_view text, std::string_view what,
                                                    std::string_view hint) {
  const std::string_view whole = trimmed(text);
  double value = 0;
  const std::string_view unit = read_number(whole, value);
  if (!unit.data() || !std::isfinite(value)) refuse(what, text, hint);
  return {value, trimmed(unit)};
}

// Calls use(part) for each part of `text` between separators.
template <class Use>
void split(std::string_view text, char separator, Use use) {
  for (;;) {
    const std::size_t at = text.find(separator);
    use(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

double parse_bandwidth(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is no bandwidth: write for example 100Gbps or 12.5GB/s";
  auto [value, unit] = number_and_unit(text, what, kHint);
  if (value <= 0) refuse(what, text, "is not above zero: write for example 100Gbps or 12.5GB/s");
  constexpr std::string_view kPrefixes = "kMGT";
  if (!unit.empty()) {
    const char letter = unit[0] == 'K' ? 'k' : unit[0];
    if (const std::size_t power = kPrefixes.find(letter); power != std::string_view::npos) {
      unit.remove_prefix(1);
      const bool binary = unit.starts_with('i');
      if (binary) unit.remove_prefix(1);
      value *= std::pow(binary ? 1024. : 1000., static_cast<double>(power + 1));
    }
  }
  if (unit == "bps" || unit == "b/s" || unit == "bit/s") return value / 8;
  if (unit == "Bps" || unit == "B/s") return value;
  refuse(what, text, kHint);
}

Time parse_latency(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is no time: write for example 1us, 350ns or 0";
  const auto [value, unit] = number_and_unit(text, what, kHint);
  if (value < 0) refuse(what, text, "is negative: write for example 1us, 350ns or 0");
  if (unit.empty() && value == 0) return Time{};
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
  for (const auto& [name, picoseconds] : kUnits)
    if (unit == name) {
      if (value * picoseconds > 1e12) refuse(what, text, "is longer than a second");
      return to_time(value * picoseconds);
    }
  refuse(what, text, kHint);
}

std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what) {
  std::vector<std::int32_t> sizes;
  split(text, 'x', [&](std::string_view part) {
    part = trimmed(part);
    std::int32_t size = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), size);
    if (error != std::errc{} || end != part.data() + part.size() || size < 1 || size > 1 << 22)
      refuse(what, text, "is no size: write whole numbers from 1 on, such as 8, or 8x8x4");
    sizes.push_back(size);
  });
  return sizes;
}

double parse_ratio(std::string_view text, std::string_view what) {
  constexpr std::string_view kHint = "is no number above zero: write for example 4 or 1.5";
  const auto [value, unit] = number_and_unit(text, what, kHint);
  if (!unit.empty() || value <= 0) refuse(what, text, kHint);
  return value;
}

Settings::Settings(std::string_view topology, std::span<const TopologyParameter> parameters,
                   std::string_view text)
    : topology_(topology), parameters_(parameters) {
  if (trimmed(text).empty()) return;
  split(text, ',', [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      refuse(topology_, part, "is no setting: write name=value, such as bandwidth=100Gbps");
    const std::string_view name = trimmed(part.substr(0, equals));
    if (given(name)) refuse(topology_, name, "is set twice: set it once");
    set(name, trimmed(part.substr(equals + 1)));
  });
}

void Settings::choose(std::string_view name, std::string value) {
  if (!given(name)) values_.emplace(name, std::move(value));
}

void Settings::set(std::string_view name, std::string_view value) {
  std::vector<std::string_view> names;
  for (const TopologyParameter& p : parameters_) names.push_back(p.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string all;
    for (const std::string_view known : names)
      all += (all.empty() ? "" : ", ") + std::string(known);
    fail(Blame::usage, std::string(topology_) + " has no parameter '" + std::string(name) + "'" +
                           did_you_mean(name, names) + " (it has " + all + ")");
  }
  values_.emplace(name, value);
  using Unit = TopologyParameter::Unit;
  switch (parameters_[static_cast<std::size_t>(found - names.begin())].unit) {
    case Unit::count:
      count(name);
      break;
    case Unit::counts:
      counts(name);
      break;
    case Unit::ratio:
      ratio(name);
      break;
    case Unit::bandwidth:
      bandwidth(name);
      break;
    case Unit::time:
      time(name);
      break;
    case Unit::flag:
      flag(name);
      break;
  }
}

std::string_view Settings::text_of(std::string_view name) const {
  if (const auto value = values_.find(name); value != values_.end()) return value->second;
  const auto parameter = std::find_if(parameters_.begin(), parameters_.end(),
                                      [&](const auto& p) { return p.name == name; });
  expects(parameter != parameters_.end(), "a topology reads its own parameters");
  return parameter->default_value;
}

std::string Settings::what(std::string_view name) const {
  return std::string(topology_) + ": " + std::string(name);
}

std::int32_t Settings::count(std::string_view name) const {
  const auto sizes = parse_sizes(text_of(name), what(name));
  if (sizes.size() != 1) refuse(what(name), text_of(name), "is a list: give one number");
  return sizes[0];
}

std::vector<std::int32_t> Settings::counts(std::string_view name) const {
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

bool Settings::flag(std::string_view name) const {
  const std::string_view text = text_of(name);
  if (text == "yes") return true;
  if (text != "no") refuse(what(name), text, "is neither yes nor no");
  return false;
}

std::string Settings::spec() const {
  std::string text(topology_);
  for (const TopologyParameter& p : parameters_)
    if (const auto value = values_.find(p.name); value != values_.end())
      text += (text.size() == topology_.size() ? ":" : ",") + value->first + "=" + value->second;
  return text;
}

}  // namespace arlab::simulator
