#include "bench/simulate/disturbance.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/units.hpp"
#include "simulator/noise/noisy_network.hpp"

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

}  // namespace

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
                  "Ranks that begin late, and by how much: 3:100us")
              ->type_name("RANK:TIME")
              ->group(kDisturbances));
  option("--jitter", "TIME", "Mean random delay of each message",
         [this](const std::string& text) { jitter = parse_positive(text, "--jitter"); });
  option("--noise", "TIME:PERIOD",
         "Interrupt each rank for a time once per period, from a random time on: 10us:1ms",
         [this](const std::string& text) {
           const auto [time, each] = split_at_colon(text, "--noise", "10us:1ms");
           detour = parse_positive(time, "--noise");
           period = parse_positive(each, "--noise");
           if (detour >= period)
             fail(Blame::usage,
                  fmt::format("--noise is '{}': the interruption must be shorter than the period",
                              text));
         });
  constexpr std::int32_t kMostSeeds = 2'000'000'000, kMostRuns = 100'000;
  add_number(command, "--noise-seed", seed, 0, kMostSeeds,
             "Seed of the random numbers (default 1)");
  add_number(command, "--noise-runs", runs, 1, kMostRuns,
             "Runs with other random numbers each, whose mean is recorded (default 1)");
  for (const char* name : {"--noise-seed", "--noise-runs"})
    command.get_option(name)->group(kDisturbances);
}

void Disturbance::check(const CLI::App& command) const {
  for (const char* name : {"--noise-seed", "--noise-runs"})
    if (command.count(name) > 0 && !is_random())
      fail(Blame::usage,
           fmt::format("{} has no effect here: it needs --jitter or --noise; leave it out", name));
}

Time Disturbance::delay() const {
  Time longest{};
  for (const auto& [rank, time] : late) longest = std::max(longest, time);
  return longest + jitter + detour;
}

std::string Disturbance::text() const {
  const auto show = [](Time time) { return show_picoseconds(picoseconds(time)); };
  std::vector<std::string> parts;
  for (const auto& [rank, time] : late)
    parts.push_back(fmt::format("late={}:{}", rank, show(time)));
  if (jitter > Time{}) parts.push_back("jitter=" + show(jitter));
  if (detour > Time{}) parts.push_back(fmt::format("noise={}:{}", show(detour), show(period)));
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

std::unique_ptr<simulator::Network> Disturbance::noisy(std::unique_ptr<simulator::Network> network,
                                                       Rank ranks, int run) const {
  if (!is_random()) return network;
  const Random seeds(static_cast<std::uint64_t>(seed));
  const std::uint64_t number = seeds(static_cast<std::uint64_t>(run));
  return std::make_unique<simulator::NoisyNetwork>(
      std::move(network), ranks,
      simulator::Noise{.seed = number, .jitter = jitter, .detour = detour, .period = period});
}

}  // namespace arlab::bench
