#include "bench/validation/validation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/errors.hpp"

namespace arlab::bench {
namespace {

constexpr double kApart = 0.1;  // pairs that differ by more must be ordered right

using Cells = std::vector<std::vector<std::string>>;
using Predicted = std::vector<const PredictedRow*>;

std::string ratio(const Pairs& pairs) {
  if (pairs.all == 0) return "";
  return fmt::format("{} of {}", pairs.right, pairs.all);
}

Predicted predicted_test_rows(const Validation& validation) {
  Predicted rows;
  for (const PredictedRow& row : validation.rows)
    if (row.row.split == Split::test && row.predicted_us) rows.push_back(&row);
  return rows;
}

std::vector<std::string> line(std::vector<std::string> keys, const Predicted& rows) {
  const Errors e = errors_of(rows);
  keys.insert(keys.end(), {fmt::format("{}", e.rows), show_percent(e.median), show_percent(e.p90),
                           show_percent(e.worst), fmt::format("{:+.1f}%", 100 * e.bias)});
  return keys;
}

std::string by_system(const Predicted& rows) {
  std::map<std::string, Predicted> systems;
  for (const PredictedRow* row : rows) systems[row->row.system].push_back(row);
  Cells table;
  const auto add = [&](const std::string& name, const Predicted& of) {
    table.push_back(line({name}, of));
    const Coverage coverage = coverage_of(of);
    table.back().insert(table.back().end(), {ratio(pairs_of(of, kApart)), ratio(pairs_of(of, 0)),
                                             fmt::format("{:.0f}%", 100 * coverage.covered),
                                             fmt::format("{:.2f}", coverage.width)});
  };
  for (const auto& [system, of] : systems) add(system, of);
  if (systems.size() > 1) add("all", rows);
  return markdown({"system", "rows", "median", "p90", "worst", "bias", "pairs right", "all pairs",
                   "in 80% interval", "width"},
                  table);
}

std::string by_algorithm(const Predicted& rows) {
  std::map<std::pair<std::string, std::string>, Predicted> algorithms;
  for (const PredictedRow* row : rows)
    algorithms[{row->row.system, row->row.algorithm}].push_back(row);
  Cells table;
  for (const auto& [key, of] : algorithms) table.push_back(line({key.first, key.second}, of));
  return markdown({"system", "algorithm", "rows", "median", "p90", "worst", "bias"}, table);
}

std::string scale(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

// Predicted nodes that are fewer or more than any that was calibrated.
std::string beyond(const Validation& validation, const FittedSystem& system) {
  const PredictedRow *least = nullptr, *most = nullptr;
  for (const PredictedRow& p : validation.rows) {
    if (!p.predicted_us || !p.beyond_calibration || p.row.system != system.system ||
        p.transport != system.transport)
      continue;
    if (least == nullptr || p.row.ranks < least->row.ranks) least = &p;
    if (most == nullptr || p.row.ranks > most->row.ranks) most = &p;
  }
  return least == nullptr ? "" : scale(least->row.nodes, most->row.nodes);
}

std::string fitted(const Validation& validation) {
  Cells table;
  for (const FittedSystem& one : validation.systems)
    table.push_back({one.system, one.transport, fmt::format("{}", one.rows),
                     fmt::format("{}", one.parameters.size()), fmt::format("{}", 2 * one.states),
                     scale(one.least_nodes, one.most_nodes), beyond(validation, one)});
  std::string text = markdown({"system", "transport", "calibration rows", "numbers of the system",
                               "numbers of its jobs", "calibrated nodes", "predicted beyond them"},
                              table);
  for (const FittedSystem& one : validation.systems)
    for (const std::string& note : one.notes) text += fmt::format("\n{}: {}.", one.system, note);
  return text + (text.ends_with('\n') ? "" : "\n");
}

std::string left_out(const Validation& validation) {
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>> reasons;
  for (const PredictedRow& row : validation.rows)
    if (!row.predicted_us) {
      ++reasons[row.reason].first;
      reasons[row.reason].second.insert(row.row.algorithm);
    }
  Cells table;
  for (const auto& [reason, rows] : reasons)
    table.push_back(
        {fmt::format("{}", rows.first), reason, fmt::format("{}", fmt::join(rows.second, ", "))});
  return table.empty() ? "" : markdown({"rows left out", "reason", "algorithms"}, table);
}

}  // namespace

std::string validation_tables(const Validation& validation) {
  const Predicted rows = predicted_test_rows(validation);
  std::string text;
  if (rows.empty())
    text = "No row of split test is predicted.\n";
  else
    text = fmt::format(
        "Errors of {} predicted times of split test; bias: median with its sign.\n"
        "Pairs: two algorithms of one job at one size whose times differ by more than "
        "{:.0f}%.\n"
        "Each prediction has an interval in which 80% of such measurements are expected; width: "
        "median "
        "of its upper end by its lower.\n\n{}\n{}",
        rows.size(), 100 * kApart, by_system(rows), by_algorithm(rows));
  if (!validation.systems.empty())
    text += fmt::format("\nFitted to rows of split calibrate only:\n\n{}", fitted(validation));
  if (const std::string out = left_out(validation); !out.empty()) text += "\n" + out;
  return text;
}

std::string miss_table(const Validation& validation, double least) {
  Predicted rows = predicted_test_rows(validation);
  std::erase_if(rows, [&](const PredictedRow* row) { return std::abs(row->error()) <= least; });
  std::stable_sort(rows.begin(), rows.end(), [](const PredictedRow* a, const PredictedRow* b) {
    return std::abs(std::log(1 + a->error())) > std::abs(std::log(1 + b->error()));
  });
  Cells table;
  for (const PredictedRow* p : rows)
    table.push_back(
        {p->row.system, p->row.nodes, p->row.algorithm, show_bytes(p->row.bytes),
         show_time(p->row.median_us), show_time(*p->predicted_us),
         fmt::format("{:+.0f}%", 100 * p->error()),
         fmt::format("{} to {}", show_time(p->interval.low_us), show_time(p->interval.high_us))});
  if (table.empty()) return fmt::format("No error is above {:.0f}%.\n", 100 * least);
  return markdown(
      {"system", "nodes", "algorithm", "size", "measured", "predicted", "error", "80% interval"},
      table);
}

std::string parameter_table(const Validation& validation) {
  Cells table;
  for (const FittedSystem& one : validation.systems)
    for (const FittedSystem::Value& value : one.parameters)
      table.push_back({one.system, one.transport, value.name, fmt::format("{:.3g}", value.value)});
  return markdown({"system", "transport", "parameter", "value"}, table);
}

Json to_json(const PredictedRow& p) {
  return {{"schema", kSchema},
          {"kind", "validate"},
          {"system", p.row.system},
          {"nodes", p.row.nodes},
          {"ranks_per_node", p.row.ranks_per_node},
          {"ranks", p.row.ranks},
          {"library", p.row.library},
          {"algorithm", p.row.algorithm},
          {"bytes", p.row.bytes},
          {"run", p.row.run},
          {"split", name(p.row.split)},
          {"measured_us", p.row.median_us},
          {"predicted_us", or_null(p.predicted_us)},
          {"low_us", p.predicted_us ? Json(p.interval.low_us) : Json(nullptr)},
          {"high_us", p.predicted_us ? Json(p.interval.high_us) : Json(nullptr)},
          {"beyond_calibration", p.beyond_calibration},
          {"skipped", p.predicted_us ? Json(nullptr) : Json(p.reason)}};
}

}  // namespace arlab::bench
