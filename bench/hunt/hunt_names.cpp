#include "bench/hunt/hunt_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace arlab::bench {
namespace {

hunt::Place place_named(std::string_view text) {
  for (const hunt::Place place : {hunt::Place::rank, hunt::Place::port, hunt::Place::link})
    if (text == name(place)) return place;
  return hunt::Place::group;
}

hunt::Quantity quantity_named(std::string_view text) {
  for (const hunt::Quantity quantity : hunt::kQuantities)
    if (text == name(quantity)) return quantity;
  return hunt::Quantity::loss;
}

// A file may have been edited, so the ranks need not have hosts.
bool all_have_hosts(const std::vector<Rank>& ranks, const std::vector<std::string>& hosts) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](Rank r) { return r >= 0 && index(r) < hosts.size(); });
}

}  // namespace

std::string_view name(hunt::Place place) {
  constexpr std::string_view kNames[] = {"rank", "port", "link", "group"};
  return kNames[static_cast<std::size_t>(place)];
}

std::string_view name(hunt::Quantity quantity) {
  constexpr std::string_view kNames[] = {"copy", "addition", "latency", "bandwidth", "loss"};
  return kNames[static_cast<std::size_t>(quantity)];
}

std::string_view name(hunt::Verdict verdict) {
  constexpr std::string_view kNames[] = {"slow", "quiet", "noisy", "few"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string spread_text(double spread) {
  constexpr double kTenfold = 9;
  return spread > kTenfold ? "more than tenfold" : fmt::format("by {:.0f}%", 100 * spread);
}

std::vector<hunt::Finding> findings_of(const Json& hunt) {
  std::vector<hunt::Finding> all;
  for (const Json& finding : hunt.at("findings"))
    all.push_back({.place = place_named(finding.at("what").get<std::string>()),
                   .quantity = quantity_named(finding.at("by").get<std::string>()),
                   .ranks = finding.at("ranks").get<std::vector<Rank>>(),
                   .others = finding.at("others").get<std::vector<Rank>>(),
                   .sends = finding.at("sends").get<bool>(),
                   .receives = finding.at("receives").get<bool>(),
                   .times = finding.at("times").get<double>()});
  return all;
}

std::string ranks_text(const std::vector<Rank>& ranks, const std::vector<std::string>& hosts) {
  constexpr std::size_t kMostRuns = 6;
  if (ranks.empty()) return "all others";
  if (ranks.size() == 1) {
    const Rank r = ranks.front();
    return hosts.empty() ? fmt::format("rank {}", r)
                         : fmt::format("rank {} ({})", r, hosts[index(r)]);
  }
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (runs.size() == kMostRuns) {
      runs.push_back("...");
      break;
    }
    runs.push_back(end == i ? fmt::to_string(ranks[i])
                            : fmt::format("{}-{}", ranks[i], ranks[end]));
    i = end + 1;
  }
  return fmt::format("ranks {}", fmt::join(runs, ","));
}

std::string place_text(const hunt::Finding& finding, const std::vector<std::string>& hosts) {
  if (!hosts.empty() &&
      !(all_have_hosts(finding.ranks, hosts) && all_have_hosts(finding.others, hosts)))
    return place_text(finding, {});
  const std::string near = ranks_text(finding.ranks, hosts);
  if (finding.place == hunt::Place::rank || finding.place == hunt::Place::port) return near;
  const std::string far = ranks_text(finding.others, hosts);
  if (finding.sends && finding.receives) return fmt::format("between {} and {}", near, far);
  return finding.sends ? fmt::format("from {} to {}", near, far)
                       : fmt::format("from {} to {}", far, near);
}

}  // namespace arlab::bench
