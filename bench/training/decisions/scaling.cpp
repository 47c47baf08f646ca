#include "bench/training/decisions/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kEfficient = 0.9;

std::string kept(const std::vector<const ScaleRow*>& by_ranks) {
  Rank most = 0;
  for (const ScaleRow* row : by_ranks)
    if (row->efficiency() >= kEfficient) most = row->ranks;
  if (most == by_ranks.back()->ranks) return "";
  return most == 0 ? "; below 90% from " + show_plural(by_ranks.front()->ranks, "GPU") + " on"
                   : "; 90% or more up to " + show_plural(most, "GPU");
}

std::string on_one_network(std::vector<const ScaleRow*> rows) {
  std::ranges::stable_sort(rows, {}, [](const ScaleRow* row) { return row->ranks; });
  const ScaleRow& last = *rows.back();
  return fmt::format("on {}, {} are {:.3g} times as fast as one ({:.1f}%{})", last.network,
                     show_plural(last.ranks, "GPU"), last.ranks * last.efficiency(),
                     100 * last.efficiency(), kept(rows));
}

}  // namespace

std::vector<std::string> explain_scaling(const std::vector<ScaleRow>& rows, Scaling scaling) {
  const auto other_ranks = [&](const ScaleRow& row) { return row.ranks != rows.front().ranks; };
  if (std::ranges::none_of(rows, other_ranks)) return {};
  std::vector<std::string> sentences;
  const std::vector<std::string> devices = told_devices(rows);
  std::vector<std::pair<std::string, std::string>> said;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    if (std::ranges::find(said, std::pair{rows[first].model, rows[first].device}) != said.end())
      continue;
    said.emplace_back(rows[first].model, rows[first].device);
    std::vector<std::vector<const ScaleRow*>> networks;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = first; i < rows.size(); ++i) {
      if (rows[i].model != rows[first].model || rows[i].device != rows[first].device) continue;
      const auto [place, is_new] = places.emplace(rows[i].network, networks.size());
      if (is_new) networks.emplace_back();
      networks[place->second].push_back(&rows[i]);
    }
    std::string text = fmt::format("{} scaling of {}{}{}: ",
                                   scaling == Scaling::strong ? "Strong" : "Weak",
                                   rows[first].model, devices[first].empty() ? "" : " on ",
                                   devices[first]);
    for (const std::vector<const ScaleRow*>& one : networks)
      text += (&one == &networks.front() ? "" : "; ") + on_one_network(one);
    sentences.push_back(text + ".");
  }
  return sentences;
}

}  // namespace arlab::bench
