#include "bench/options/rank_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arlab::bench {
namespace {

bool lacks_rates(const Algorithm& algorithm) {
  return algorithm.name.find(':') == std::string_view::npos &&
         std::ranges::any_of(algorithm.parameters,
                             [](const Parameter& p) { return p.name == "rates"; });
}

}  // namespace

std::string port_rates(const simulator::Fabric& fabric) {
  constexpr double kFastest = 100;
  constexpr std::size_t kMostRated = 1024;  // ranks of weighted
  const simulator::Topology& topology = fabric.topology;
  if (topology.hosts_forward() || fabric.host_of.size() > kMostRated) return "";
  std::vector<double> out(index(topology.hosts())), in = out, ranks = out;
  for (const simulator::Link& link : topology.links()) {
    if (topology.is_host(link.from)) out[index(link.from)] += link.bandwidth;
    if (topology.is_host(link.to)) in[index(link.to)] += link.bandwidth;
  }
  for (const Rank host : fabric.host_of) ++ranks[index(host)];
  std::vector<double> rates;
  for (const Rank host : fabric.host_of)
    rates.push_back(std::min(out[index(host)], in[index(host)]) / ranks[index(host)]);
  if (rates.empty()) return "";
  const double fastest = *std::max_element(rates.begin(), rates.end());
  std::vector<long> whole;
  for (const double rate : rates)
    whole.push_back(std::max(1L, std::lround(rate / fastest * kFastest)));
  const long common = std::accumulate(whole.begin(), whole.end(), 0L, std::gcd<long, long>);
  if (std::all_of(whole.begin(), whole.end(), [&](long rate) { return rate == whole.front(); }))
    return "";
  while (whole.size() > 1 && whole[whole.size() - 2] == whole.back()) whole.pop_back();
  for (long& rate : whole) rate /= common;
  return fmt::format("{}", fmt::join(whole, "x"));
}

std::vector<const Algorithm*> with_rates(std::span<const Algorithm* const> algorithms,
                                         const RankLayout& layout) {
  std::vector<const Algorithm*> all(algorithms.begin(), algorithms.end());
  if (layout.rates.empty()) return all;
  for (const Algorithm*& algorithm : all)
    if (lacks_rates(*algorithm))
      algorithm = &find_algorithm(fmt::format("{}:rates={}", algorithm->name, layout.rates));
  return all;
}

}  // namespace arlab::bench
