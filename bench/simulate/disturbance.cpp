#include "bench/simulate/disturbance.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/options.hpp"
#include "bench/text/units.hpp"
#include "simulator/noise/noisy_network.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kDisturbances = "Disturbances";

Time parse_positive(const std::string& text, const std::string& option) {
  const double time = parse_time(text, option);
  if (!(time >= 1 && time <= picoseconds(kLongest)))
    fail(Blame::usage,
         fmt::format("{} is '{}': give a time from 1ps to 11 days, such as 10us", option, text));
  return to_time(time);
}

// "3:100us" into the texts on both sides of the colon.
std::pair<std::string, std::string> split_at_colon(const std::string& text, const char* option,
                                                   const char* example) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    fail(Blame::usage, fmt::format("{} is '{}': write it like {}", option, text, example));
  return {text.substr(0, colon), text.substr(colon + 1)};
}

constexpr const char* kAllLinks = "all";

// The failures of one option, by link. The links between two nodes fail together.
void add_flaps(const FlapOption& option, const simulator::Topology& topology, const Random& begins,
               std::vector<simulator::LinkFlap>& all) {
  const auto add = [&](simulator::LinkId id) {
    const simulator::Link& link = topology.link(id);
    const auto low = static_cast<std::uint64_t>(std::min(link.from, link.to)),
               high = static_cast<std::uint64_t>(std::max(link.from, link.to));
    const Time begin =
        option.begin ? *option.begin : Time(begins.below(option.period.count(), low << 32 | high));
    all.push_back({.link = id,
                   .begin = begin,
                   .length = option.length,
                   .period = option.period,
                   .share = option.share});
  };
  if (option.link == kAllLinks)
    for (std::size_t id = 0; id < topology.links().size(); ++id)
      add(static_cast<simulator::LinkId>(id));
  else
    for (const simulator::LinkId id : simulator::links_named(topology, option.link)) add(id);
}

}  // namespace

FlapOption parse_flap(const std::string& text) {
  const auto refuse = [&] {
    fail(
        Blame::usage,
        fmt::format("--flap is '{}': write it like h0--leaf0:50us:1ms (for 50us of each ms), or "
                    "h0--leaf0:50us@100us (once, from 100us on); :0.5 behind it leaves half of the "
                    "bandwidth",
                    text));
  };
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() < 2 || parts[0].empty()) refuse();
  FlapOption flap{.text = text, .link = parts[0]};
  const std::size_t at = parts[1].find('@');
  const bool once = at != std::string::npos;
  const std::size_t timed = once ? 2 : 3;  // parts before the share
  if (parts.size() < timed || parts.size() > timed + 1) refuse();
  flap.length = parse_positive(parts[1].substr(0, at), "--flap");
  if (once) {
    const std::string begin = parts[1].substr(at + 1);
    flap.begin = parse_time(begin, "--flap") == 0 ? Time{} : parse_positive(begin, "--flap");
  } else {
    flap.period = parse_positive(parts[2], "--flap");
    if (flap.length >= flap.period)
      fail(Blame::usage,
           fmt::format("--flap is '{}': the failure must be shorter than the period", text));
  }
  if (parts.size() > timed) {
    flap.share = parts[timed] == "0" ? 0 : parse_ratio(parts[timed], "the bandwidth that remains:");
    if (flap.share >= 1)
      fail(Blame::usage,
           fmt::format("--flap is '{}': the bandwidth that remains is a share below 1, "
                       "such as 0.5",
                       text));
  }
  return flap;
}

bool Disturbance::is_random() const {
  return is_noisy() || std::any_of(flaps.begin(), flaps.end(),
                                   [](const FlapOption& flap) { return !flap.begin; });
}

void Disturbance::add(CLI::App& command) {
  const auto option = [&](const char* name, const char* type, const char* help, auto parse) {
    command.add_option_function<std::string>(name, parse, help)
        ->type_name(type)
        ->group(kDisturbances);
  };
  as_list(command
              .add_option_function<std::vector<std::string>>(
                  "--late",
                  [this](const std::vector<std::string>& all) {
                    for (const std::string& text : all) {
                      const auto [rank, time] = split_at_colon(text, "--late", "3:100us");
                      late.emplace_back(
                          checked_number(parse_count(rank, "--late"), "--late", 0, kMostRanks - 1),
                          parse_positive(time, "--late"));
                    }
                  },
                  "Delay ranks: when they begin, 3:100us")
              ->type_name("RANK:TIME")
              ->group(kDisturbances));
  option("--message-jitter", "TIME", "Mean random delay per message",
         [this](const std::string& text) { jitter = parse_positive(text, "--message-jitter"); });
  option("--noise", "TIME:PERIOD",
         "Interrupt each rank once per period, from a random time on: 10us:1ms",
         [this](const std::string& text) {
           const auto [time, each] = split_at_colon(text, "--noise", "10us:1ms");
           detour = parse_positive(time, "--noise");
           period = parse_positive(each, "--noise");
           if (detour >= period)
             fail(Blame::usage,
                  fmt::format("--noise is '{}': the interruption must be shorter than the period",
                              text));
         });
  as_list(command
              .add_option_function<std::vector<std::string>>(
                  "--flap",
                  [this](const std::vector<std::string>& all) {
                    for (const std::string& text : all) flaps.push_back(parse_flap(text));
                  },
                  "Links that fail: h0--leaf0:50us:1ms (or all:...), for 50us per ms from a random "
                  "time "
                  "on; h0--leaf0:50us@100us, once; a last :0.5 leaves half of the bandwidth")
              ->type_name("LINK:TIME:PERIOD")
              ->group(kDisturbances));
  constexpr std::int32_t kMostSeeds = 2'000'000'000, kMostRuns = 100'000;
  add_number(command, "--noise-seed", seed, 0, kMostSeeds,
             "Seed of random numbers: of disturbances (default 1)");
  add_number(command, "--noise-runs", runs, 1, kMostRuns,
             "Runs with different random numbers, whose mean is recorded (default 1)");
  for (const char* name : {"--noise-seed", "--noise-runs"})
    command.get_option(name)->group(kDisturbances);
}

void Disturbance::check(const CLI::App& command) const {
  for (const char* name : {"--noise-seed", "--noise-runs"})
    if (command.count(name) > 0 && !is_random())
      fail(Blame::usage,
           fmt::format(
               "{} has no effect here: it needs --message-jitter, --noise or a --flap with a "
               "period; leave it out",
               name));
}

Time Disturbance::delay() const {
  Time longest{};
  for (const auto& [rank, time] : late) longest = std::max(longest, time);
  Time lost{};
  for (const FlapOption& flap : flaps)
    lost = std::max(lost, to_time(picoseconds(flap.length) * (1 - flap.share)));
  return longest + jitter + detour + lost;
}

std::string Disturbance::text() const {
  const auto show = [](Time time) { return show_picoseconds(picoseconds(time)); };
  std::vector<std::string> parts;
  for (const auto& [rank, time] : late)
    parts.push_back(fmt::format("late={}:{}", rank, show(time)));
  if (jitter > Time{}) parts.push_back("jitter=" + show(jitter));
  if (detour > Time{}) parts.push_back(fmt::format("noise={}:{}", show(detour), show(period)));
  for (const FlapOption& flap : flaps) parts.push_back("flap=" + flap.text);
  if (is_random()) parts.push_back(fmt::format("seed={},runs={}", seed, runs));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::vector<Time> Disturbance::starts(Rank ranks) const {
  std::vector<Time> all(late.empty() ? 0 : index(ranks));
  for (const auto& [rank, time] : late) {
    if (rank >= ranks)
      fail(Blame::usage, fmt::format("--late names rank {}, but the ranks are 0 to {}: choose "
                                     "another one, or raise -p",
                                     rank, ranks - 1));
    all[index(rank)] = std::max(all[index(rank)], time);
  }
  return all;
}

std::unique_ptr<simulator::Network> Disturbance::disturbed(
    std::unique_ptr<simulator::Network> network, const simulator::Fabric* fabric, Rank ranks,
    int run) const {
  const Random seeds(static_cast<std::uint64_t>(seed));
  const std::uint64_t number = seeds(static_cast<std::uint64_t>(run));
  std::vector<simulator::LinkFlap> failing;
  for (std::size_t i = 0; fabric && i < flaps.size(); ++i)
    add_flaps(flaps[i], fabric->topology, Random(number).of(2 + i), failing);
  if (!flaps.empty() && (!fabric || !network->flap_links(std::move(failing))))
    fail(
        Blame::usage,
        "the model knows no links that fail for a while: leave out --flap, or use --network fluid");
  if (!is_noisy()) return network;
  return std::make_unique<simulator::NoisyNetwork>(
      std::move(network), ranks,
      simulator::Noise{.seed = number, .jitter = jitter, .detour = detour, .period = period});
}

}  // namespace arlab::bench
