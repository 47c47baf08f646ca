#include "bench/logs/layout.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bench/logs/nccl_names.hpp"
#include "bench/logs/words.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

using Names = std::pair<std::string_view, LogColumn>;

constexpr Names kNcclNames[] = {{"size", LogColumn::size},    {"bytes", LogColumn::size},
                                {"count", LogColumn::count},  {"N", LogColumn::count},
                                {"type", LogColumn::type},    {"redop", LogColumn::op},
                                {"op", LogColumn::op},        {"root", LogColumn::root},
                                {"time", LogColumn::time},    {"cputime", LogColumn::cpu_time},
                                {"algbw", LogColumn::algbw},  {"busbw", LogColumn::busbw},
                                {"#wrong", LogColumn::wrong}, {"error", LogColumn::error},
                                {"res", LogColumn::error}};

// Longer names first: they begin like shorter ones.
constexpr Names kOsuNames[] = {{"Avg Latency(us)", LogColumn::average},
                               {"Avg Lat(us)", LogColumn::average},
                               {"Latency (us)", LogColumn::average},
                               {"Latency(us)", LogColumn::average},
                               {"Min Latency(us)", LogColumn::least},
                               {"Min Lat(us)", LogColumn::least},
                               {"Max Latency(us)", LogColumn::most},
                               {"Max Lat(us)", LogColumn::most},
                               {"Iterations", LogColumn::repetitions},
                               {"P50 Tail Lat(us)", LogColumn::number},
                               {"P90 Tail Lat(us)", LogColumn::number},
                               {"P95 Tail Lat(us)", LogColumn::number},
                               {"P99 Tail Lat(us)", LogColumn::number},
                               {"Validation", LogColumn::word},
                               {"Size", LogColumn::size}};

std::optional<LogLayout> nccl_layout(const std::vector<std::string_view>& words) {
  LogLayout layout;
  for (const std::string_view word : words) {
    if (word == "#" || word == "timestamp") continue;  // time stamps are removed
    const auto* found = std::find_if(std::begin(kNcclNames), std::end(kNcclNames),
                                     [&](const Names& name) { return name.first == word; });
    layout.columns.push_back(found == std::end(kNcclNames) ? LogColumn::number : found->second);
    if (word == "bytes") layout.microseconds = 1000;  // version 1 printed milliseconds
  }
  const bool begins = layout.columns.size() > 3 && layout.columns[0] == LogColumn::size &&
                      layout.columns[1] == LogColumn::count && layout.columns[2] == LogColumn::type;
  if (!begins || layout.count(LogColumn::busbw) == 0) return std::nullopt;
  return layout;
}

std::optional<LogLayout> osu_layout(const std::vector<std::string_view>& words) {
  std::string rest;
  for (std::size_t i = 1; i < words.size(); ++i)
    rest += (rest.empty() ? "" : " ") + std::string(words[i]);
  LogLayout layout{.tool = LogTool::osu};
  std::string_view left = rest;
  while (!left.empty()) {
    const auto* found = std::find_if(std::begin(kOsuNames), std::end(kOsuNames),
                                     [&](const Names& n) { return left.starts_with(n.first); });
    if (found == std::end(kOsuNames)) return std::nullopt;
    layout.columns.push_back(found->second);
    left.remove_prefix(std::min(left.size(), found->first.size()));
    while (left.starts_with(' ')) left.remove_prefix(1);
  }
  if (layout.count(LogColumn::average) != 1) return std::nullopt;
  return layout;
}

std::optional<LogLayout> imb_layout(const std::vector<std::string_view>& words) {
  LogLayout layout{.tool = LogTool::imb};
  for (const std::string_view word : words)
    layout.columns.push_back(word == "#bytes"         ? LogColumn::size
                             : word == "#repetitions" ? LogColumn::repetitions
                             : word == "t_min[usec]"  ? LogColumn::least
                             : word == "t_max[usec]"  ? LogColumn::most
                             : word == "t_avg[usec]"  ? LogColumn::average
                                                      : LogColumn::number);
  return layout;
}

}  // namespace

int LogLayout::count(LogColumn column) const {
  return static_cast<int>(std::count(columns.begin(), columns.end(), column));
}

std::optional<LogLayout> log_layout(std::string_view comment) {
  const std::vector<std::string_view> words = words_of(comment);
  if (words.empty()) return std::nullopt;
  if (words[0] == "#bytes") return imb_layout(words);
  if (words[0] != "#" || words.size() < 2) return std::nullopt;
  return words[1] == "Size" ? osu_layout(words) : nccl_layout(words);
}

std::optional<LogLayout> implied_layout(const std::vector<std::string_view>& words) {
  constexpr std::size_t kHalves = 8;
  if (words.size() < 3 + kHalves || words.size() > 5 + kHalves || !whole_number(words[0]) ||
      !whole_number(words[1]) || !nccl_type(words[2]))
    return std::nullopt;
  LogLayout layout{.implied = true};
  layout.columns = {LogColumn::size, LogColumn::count, LogColumn::type};
  const std::size_t named = words.size() - kHalves;
  const bool has_op = named > 3 && nccl_op(words[3]).has_value();
  if (has_op) layout.columns.push_back(LogColumn::op);
  if (named > (has_op ? 4U : 3U)) layout.columns.push_back(LogColumn::root);
  if (layout.columns.size() != named) return std::nullopt;
  // Errors had an exponent, 0e+00; numbers of wrong elements have none.
  const bool counts = words.back().find('e') == std::string_view::npos;
  for (int half = 0; half < 2; ++half)
    layout.columns.insert(layout.columns.end(),
                          {LogColumn::time, LogColumn::algbw, LogColumn::busbw,
                           counts ? LogColumn::wrong : LogColumn::error});
  return layout;
}

}  // namespace arlab::bench
