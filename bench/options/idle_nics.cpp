#include "bench/options/idle_nics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kMostChannels = 512;  // that every algorithm with channels takes

bool has_one_channel(const Algorithm& algorithm) {
  return algorithm.name.find(':') == std::string_view::npos &&
         std::ranges::any_of(algorithm.parameters,
                             [](const Parameter& p) { return p.name == "channels"; });
}

// The algorithm with as many channels as a node has NICs; null if these are one, or if it has no
// channels for this collective, or was told how many.
const Algorithm* with_all_nics(const Algorithm& algorithm, const RankLayout& layout,
                               Collective task) {
  if (layout.nics < 2 || !layout.groups || layout.groups->count() < 2) return nullptr;
  if (!has_one_channel(algorithm)) return nullptr;
  const Algorithm& found = find_algorithm(
      fmt::format("{}:channels={}", algorithm.name, std::min(layout.nics, kMostChannels)));
  return std::ranges::count(found.collectives, task) > 0 ? &found : nullptr;
}

}  // namespace

std::vector<const Algorithm*> and_with_all_nics(std::span<const Algorithm* const> algorithms,
                                                const RankLayout& layout, Collective task) {
  std::vector<const Algorithm*> all;
  const auto add = [&](const Algorithm* one) {
    if (one && !std::ranges::any_of(all, [&](const Algorithm* a) { return a->name == one->name; }))
      all.push_back(one);
  };
  for (const Algorithm* algorithm : algorithms) {
    add(algorithm);
    add(with_all_nics(*algorithm, layout, task));
  }
  return all;
}

void say_idle_nics(std::span<const Config> configs) {
  for (const Config& config : configs) {
    if (!config.algorithm) continue;
    const Algorithm* const all_nics =
        with_all_nics(*config.algorithm, config.layout, config.problem.collective);
    if (!all_nics) continue;
    const auto is_that = [&](const Config& c) {
      return c.algorithm && c.algorithm->name == all_nics->name;
    };
    if (std::ranges::any_of(configs, is_that)) continue;
    say("note: {} uses 1 of {} NICs of a node: {} is what NCCL runs\n", config.algorithm->name,
        config.layout.nics, all_nics->name);
    return;
  }
}

}  // namespace arlab::bench
