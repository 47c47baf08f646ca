// Quantities of SimGrid's platforms: a number and a unit, without one in bytes per second and in
// seconds.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/formats/topologies/simgrid_platform.hpp"

namespace arlab::bench::simgrid {
namespace {

constexpr long kMostClusterHosts = 1 << 20;

// The number of a text, and its unit.
std::pair<double, std::string_view> split(const XmlText& xml, const pugi::xml_node& node,
                                          const char* name, std::string_view example) {
  const std::string_view all = xml.text(node, name);
  std::size_t unit = all.size();
  while (unit > 0 && all[unit - 1] >= 'A') --unit;  // letters, of either case
  double value = -1;
  try {
    value = parse_number(all.substr(0, unit), "");
  } catch (const Error&) {
  }
  if (value < 0)
    xml.wrong(node, fmt::format("{} of <{}> is {}: write for example {}", name, node.name(),
                                in_quotes(all), example));
  return {value, all.substr(unit)};
}

}  // namespace

double parse_bandwidth(const XmlText& xml, const pugi::xml_node& node, const char* name) {
  const auto [value, unit] = split(xml, node, name, "1.25GBps");
  constexpr std::array<std::pair<std::string_view, double>, 9> kPrefixes{{{"", 1},
                                                                          {"k", 1e3},
                                                                          {"M", 1e6},
                                                                          {"G", 1e9},
                                                                          {"T", 1e12},
                                                                          {"Ki", 1024.0},
                                                                          {"Mi", 1048576.0},
                                                                          {"Gi", 1073741824.0},
                                                                          {"Ti", 1099511627776.0}}};
  if (value <= 0)
    xml.wrong(node, fmt::format("{} of <{}> is not above zero: write for example 1.25GBps", name,
                                node.name()));
  if (unit.empty()) return value;
  for (const auto& [prefix, factor] : kPrefixes) {
    if (unit.substr(0, prefix.size()) != prefix) continue;
    const std::string_view rest = unit.substr(prefix.size());
    if (rest == "Bps") return value * factor;
    if (rest == "bps") return value * factor / 8;
  }
  xml.wrong(node, fmt::format("{} of <{}> has the unit {}: write Bps or bps, with k, M, G, T, Ki, "
                              "Mi, Gi or Ti before it",
                              name, node.name(), in_quotes(unit)));
}

double parse_latency(const XmlText& xml, const pugi::xml_node& node, const char* name) {
  const auto [value, unit] = split(xml, node, name, "50us");
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"", 1e12}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}};
  for (const auto& [known, picoseconds] : kUnits)
    if (unit == known) {
      if (value * picoseconds > 1e12)
        xml.wrong(node, fmt::format("{} of <{}> is longer than a second: write a shorter one", name,
                                    node.name()));
      return value * picoseconds;
    }
  xml.wrong(node, fmt::format("{} of <{}> has the unit {}: write s, ms, us, ns or ps", name,
                              node.name(), in_quotes(unit)));
}

std::vector<long> parse_radical(const XmlText& xml, const pugi::xml_node& cluster) {
  const std::string_view all = xml.text(cluster, "radical");
  std::vector<long> numbers;
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view part = trimmed(rest.substr(0, rest.find(',')));
    const std::size_t dash = part.find('-');
    const std::string_view first = part.substr(0, dash),
                           last = dash == part.npos ? first : part.substr(dash + 1);
    std::pair<double, double> range{-1, -1};
    try {
      range = {static_cast<double>(parse_count(first, "")),
               static_cast<double>(parse_count(last, ""))};
    } catch (const Error&) {
    }
    if (range.first < 0 || range.second < range.first || range.second > 1e9)
      xml.wrong(cluster, fmt::format("radical of <cluster> is {}: write for example 0-99,120",
                                     in_quotes(all)));
    if (range.second - range.first + static_cast<double>(numbers.size()) >= kMostClusterHosts)
      xml.wrong(cluster, fmt::format("the cluster has over {} hosts: write a smaller radical",
                                     kMostClusterHosts));
    for (double n = range.first; n <= range.second; ++n) numbers.push_back(static_cast<long>(n));
    const std::size_t comma = rest.find(',');
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    if (comma != all.npos && rest.empty() && all.ends_with(','))
      xml.wrong(cluster, "radical of <cluster> ends with a comma: remove it");
  }
  return numbers;
}

}  // namespace arlab::bench::simgrid
