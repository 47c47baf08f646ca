#include "bench/training/decisions/cheapest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

// "8 GPUs on 25G", with the device if rows have several.
std::string where(const ScaleRow& row, const std::string& device) {
  return fmt::format("{}{}{} on {}", show_plural(row.ranks, "GPU"), device.empty() ? "" : " of ",
                     device, row.network);
}

struct Priced {
  const ScaleRow* row;
  std::string device;
  double cost;
};

std::string cheapest(const std::vector<Priced>& all, bool dollars) {
  const Priced& least = *std::ranges::min_element(all, {}, &Priced::cost);
  const Priced& fastest = *std::ranges::max_element(
      all, {}, [](const Priced& one) { return one.row->samples_per_second(); });
  const std::string begin = fmt::format(
      "{} {} on {}: {} per million samples", least.row->model,
      dollars ? "costs least" : "takes the least energy", where(*least.row, least.device),
      dollars ? fmt::format("${:.4g}", least.cost) : fmt::format("{:.4g} kWh", least.cost));
  if (fastest.row == least.row) return begin + ", and is fastest, too.";
  return fmt::format("{}; on the fastest, {}, {:.3g} times as much.", begin,
                     where(*fastest.row, fastest.device), fastest.cost / least.cost);
}

}  // namespace

std::vector<std::string> cost_cells(const ScaleRow& row, bool asked) {
  const RunningCost cost = asked ? row.cost() : RunningCost{};
  return {cost.kilowatt_hours ? fmt::format("{:.4g}", *cost.kilowatt_hours) : "",
          cost.dollars ? fmt::format("{:.4g}", *cost.dollars) : ""};
}

std::vector<std::string> explain_cost(const std::vector<ScaleRow>& rows) {
  std::vector<std::string> sentences;
  const std::vector<std::string> devices = told_devices(rows);
  const bool dollars =
      std::ranges::all_of(rows, [](const ScaleRow& row) { return row.cost().dollars.has_value(); });
  std::vector<std::string> said;
  for (const ScaleRow& first : rows) {
    if (std::ranges::find(said, first.model) != said.end()) continue;
    said.push_back(first.model);
    std::vector<Priced> all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RunningCost cost = rows[i].cost();
      const std::optional<double> its = dollars ? cost.dollars : cost.kilowatt_hours;
      if (rows[i].model == first.model && its) all.push_back({&rows[i], devices[i], *its});
    }
    if (all.size() > 1) sentences.push_back(cheapest(all, dollars));
  }
  return sentences;
}

}  // namespace arlab::bench
