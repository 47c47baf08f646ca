#include "bench/formats/machine_spread.hpp"

#include <fmt/format.h>

#include "bench/formats/machine_section.hpp"

namespace arlab::bench {
namespace {

using simulator::Machine;

struct RefitNumber {
  const char* key;
  double Machine::*value;
  double unit;  ///< of the key, in the machine's
  double most;
};

constexpr double kMicrosecondOfRefit = 1e6, kLongestOfRefit = 1e9;
constexpr RefitNumber kRefitNumbers[] = {
    {"latency_us", &Machine::latency, kMicrosecondOfRefit, kLongestOfRefit},
    {"gap_us", &Machine::gap, kMicrosecondOfRefit, kLongestOfRefit},
    {"port_ns_per_byte", &Machine::beta, 1e3, kLongestOfRefit},
    {"acks_per_byte", &Machine::acks, 1, 1},
    {"socket_bytes", &Machine::socket, 1, 1e18},
    {"backlog_bytes", &Machine::queue, 1, 1e18},
    {"drift_us", &Machine::drift, kMicrosecondOfRefit, kLongestOfRefit},
    {"drift_long_us", &Machine::drift_long, kMicrosecondOfRefit, kLongestOfRefit}};

struct RefitCurve {
  const char* key;
  simulator::SizeCurve Machine::*curve;
};

constexpr RefitCurve kRefitCurves[] = {{"host_us", &Machine::host},
                                       {"reduction_us", &Machine::reduction},
                                       {"host_together_us", &Machine::host_together},
                                       {"reduction_sent_us", &Machine::reduction_sent}};

std::string refit_text(const Machine& m) {
  std::string text;
  for (const RefitNumber& n : kRefitNumbers)
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", n.key, m.*n.value / n.unit);
  for (const RefitCurve& c : kRefitCurves) {
    if ((m.*c.curve).points.empty()) continue;
    std::string times;
    for (const auto& p : (m.*c.curve).points)
      times += fmt::format("{}{:.4g}", times.empty() ? "" : ", ", p.time / kMicrosecondOfRefit);
    text += fmt::format(", {} = [{}]", c.key, times);
  }
  return "{" + text + "}";
}

Machine refit_of(MachineSection& s, Machine m) {
  for (const RefitNumber& n : kRefitNumbers) m.*n.value = n.unit * s.number(n.key, 0, n.most);
  for (const RefitCurve& c : kRefitCurves) {
    auto& points = (m.*c.curve).points;
    if (points.empty()) continue;
    const std::vector<double> us = s.numbers(c.key, points.size(), 1e12);
    for (std::size_t i = 0; i < us.size(); ++i) points[i].time = kMicrosecondOfRefit * us[i];
  }
  s.expect_no_others();
  return m;
}

}  // namespace

std::string spread_text(const MachineSpread& spread) {
  std::string text =
      "[interval]  # of predictions: spreads are standard deviations of logarithms\n";
  text += fmt::format(
      "lack = {:.4g}  # of what the model lacks, by probes that it does not repeat\n", spread.lack);
  text += fmt::format(
      "between_jobs = {:.4g}  # assumed of a network that others use, too; 0 if they do not\n",
      spread.between_jobs);
  text += fmt::format("bytes = [{:.0f}, {:.0f}]  # of the messages that were measured\n",
                      spread.least_bytes, spread.most_bytes);
  text += fmt::format("ranks = {}  # that were measured\n", spread.ranks);
  text += "# fitted to the measured times, each with another error of its size\nrefits = [";
  for (const Machine& m : spread.refits) text += "\n  " + refit_text(m) + ",";
  return text + "\n]\n";
}

MachineSpread spread_of(const toml::table& root, const std::string& file, const Machine& machine) {
  constexpr double kMostSpread = 10;
  MachineSection s(root, "interval", file);
  MachineSpread spread;
  spread.lack = s.number("lack", 0, kMostSpread);
  spread.between_jobs = s.number("between_jobs", 0, kMostSpread);
  const std::vector<double> bytes = s.numbers("bytes", 2);
  spread.least_bytes = std::max(1.0, bytes.front());
  spread.most_bytes = std::max(spread.least_bytes, bytes.back());
  spread.ranks = static_cast<Rank>(s.number("ranks", 2, 1e9));
  for (const toml::node& entry : s.tables("refits")) {
    MachineSection refit(entry, "interval.refits", file);
    spread.refits.push_back(refit_of(refit, machine));
  }
  s.expect_no_others();
  return spread;
}

}  // namespace arlab::bench
