#include "bench/tune/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string name_of_choice(const TunedChoice& choice) {
  return choice.segments == 1 ? choice.algorithm
                              : fmt::format("{} in {} segments", choice.algorithm, choice.segments);
}

}  // namespace

std::string table_of_decisions(const std::vector<TuneCell>& cells,
                               const std::vector<std::optional<TuneDecision>>& decisions) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!decisions[i]) continue;
    const TuneDecision& d = *decisions[i];
    const bool changed = d.usual && d.best.choice != d.usual->choice;
    rows.push_back({fmt::to_string(cells[i].ranks), show_bytes(cells[i].bytes),
                    name_of_choice(d.best.choice), show_time(d.best.median_us),
                    d.usual ? show_time(d.usual->median_us) : "",
                    d.usual ? fmt::format("{:.2f}", d.usual->median_us / d.best.median_us) : "",
                    changed ? fmt::format("{:.2g}", d.p) : "",
                    d.fastest->choice == d.best.choice ? "" : name_of_choice(d.fastest->choice),
                    d.fastest->choice == d.best.choice ? "" : show_time(d.fastest->median_us)});
  }
  return compact({"ranks", "size", "choice", "time", "default", "speed-up", "p",
                  "lower median, not sure", "its time"},
                 rows);
}

double largest_loss(const std::vector<std::optional<TuneDecision>>& decisions) {
  double loss = 0;
  for (const auto& d : decisions)
    if (d && d->fastest->median_us > 0)
      loss = std::max(loss, d->best.median_us / d->fastest->median_us - 1);
  return loss;
}

}  // namespace arlab::bench
