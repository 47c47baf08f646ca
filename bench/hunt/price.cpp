// What the slow ports cost, as commands that tell.
#include "bench/hunt/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include "bench/hunt/hunt_report.hpp"
#include "bench/results/context.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using hunt::Finding;

bool is_slow_port(const Finding& f) {
  return f.place == hunt::Place::port && f.quantity == hunt::Quantity::bandwidth;
}

// A network like the real one, as far as it is known.
std::string like_measured(const hunt::Search& found, Bytes bytes) {
  const double latency = found[hunt::Quantity::latency].usual_us,
               transfer = found[hunt::Quantity::bandwidth].usual_us;
  std::string text = fmt::format("crossbar:bandwidth={:.4g}GB/s,latency={:.3g}us",
                                 static_cast<double>(bytes) / transfer / 1e3, latency / 2);
  for (const Finding& f : found.findings)
    if (is_slow_port(f)) {
      const std::string host = fmt::format("h{}", f.ranks.front());
      const std::string link = f.sends && f.receives ? host + "--s0"
                               : f.sends             ? host + "-s0"
                                                     : "s0-" + host;
      text += fmt::format(",slow={}:{:.3g}", link, f.times);
    }
  return text;
}

// A network without its slow links: "leaf_spine:hosts=4" of "leaf_spine:hosts=4,slow=h3--leaf0:2".
std::string without_slow_links(const std::string& network) {
  static const std::regex kLater(",slow=[^,]*"), kFirst(":slow=[^,]*,?");
  std::string text = std::regex_replace(std::regex_replace(network, kLater, ""), kFirst, ":");
  if (text.ends_with(':')) text.pop_back();
  return text;
}

}  // namespace

std::string rates_for(const Hunted& hunted, const hunt::Search& found) {
  constexpr double kWhole = 100;
  std::vector<long> rates(index(hunted.ranks), std::lround(kWhole));
  bool any = false;
  for (const Finding& f : found.findings)
    if (is_slow_port(f)) {
      long& rate = rates[index(f.ranks.front())];
      rate = std::min(rate, std::max(1L, std::lround(kWhole / f.times)));
      any = true;
    }
  if (!any) return "";
  const long common = std::accumulate(rates.begin(), rates.end(), 0L, std::gcd<long, long>);
  while (rates.size() > 1 && rates[rates.size() - 2] == rates.back()) rates.pop_back();
  for (long& rate : rates) rate /= common;
  return fmt::format("{}", fmt::join(rates, "x"));
}

std::string price_commands(const Hunted& hunted, const hunt::Search& found) {
  constexpr Rank kMostWeighted = 1024, kMostChannels = 512;
  const std::string rates = rates_for(hunted, found);
  if (rates.empty() || hunted.ranks > kMostWeighted) return "";
  const bool reads =
      !hunted.record.empty() && hunted.record.find_first_of(",:") == std::string::npos;
  const std::string weighted =
      reads ? "weighted:record=" + hunted.record : "weighted:rates=" + rates;
  const std::string network =
      hunted.backend.empty() ? hunted.network : like_measured(found, hunted.bytes);
  const std::string ranks = fmt::to_string(hunted.ranks);
  // A ring of one channel uses one NIC of a node, so another one that is slow costs it nothing.
  const std::string ring =
      hunted.nics > 1 ? fmt::format("ring:channels={}", std::min(hunted.nics, kMostChannels))
                      : "ring";
  std::vector<std::string> simulate{"arlab", "simulate", ring + "," + weighted, "-p",   ranks,
                                    "-s",    "256M",     "--network",           network};
  if (!hunted.disturbance.empty())
    simulate.insert(simulate.end(), {"--disturb", hunted.disturbance});
  std::string text = fmt::format(
      "To simulate the cost of the fault, and of shares that suit the slow rank:\n  {}\n",
      shell_quoted(simulate));
  if (const std::string healthy = without_slow_links(network);
      healthy != network || !hunted.disturbance.empty())
    text += fmt::format(
        "The same without the fault:\n  {}\n",
        shell_quoted({"arlab", "simulate", ring, "-p", ranks, "-s", "256M", "--network", healthy}));
  if (hunted.backend.empty()) return text;
  std::vector<std::string> run{"arlab", "run", "ring," + weighted, "-s", "64M"};
  if (hunted.is_on_gpus) run.insert(run.end(), {"-b", hunted.backend});
  text += fmt::format("Around it, until it is repaired:\n  mpirun -n {} {}\n", ranks,
                      shell_quoted(run));
  return text;
}

}  // namespace arlab::bench
