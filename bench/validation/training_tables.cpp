#include "bench/validation/training_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/errors.hpp"

namespace arlab::bench {
namespace {

constexpr double kPairsApart = 0.1;

using TestRows = std::vector<const PredictedTraining*>;

TestRows test_rows(const TrainingValidation& validation) {
  TestRows rows;
  for (const PredictedTraining& row : validation.rows)
    if (row.row.split == Split::test && row.predicted_us) rows.push_back(&row);
  return rows;
}

Errors errors_of_training(const TestRows& rows) {
  std::vector<double> errors;
  for (const PredictedTraining* row : rows) errors.push_back(row->error());
  return errors_of(errors);
}

// Methods of one model on one network with one number of GPUs.
Pairs pairs_of_training(const TestRows& rows, double apart) {
  std::map<std::tuple<std::string, std::string, Rank>, TestRows> competitors;
  for (const PredictedTraining* p : rows)
    competitors[{p->row.model, p->row.network, p->row.gpus}].push_back(p);
  Pairs pairs;
  for (const auto& [key, list] : competitors)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double measured = list[i]->row.step_us() / list[j]->row.step_us();
        if (std::max(measured, 1 / measured) <= 1 + apart) continue;
        ++pairs.all;
        if ((measured > 1) == (*list[i]->predicted_us > *list[j]->predicted_us)) ++pairs.right;
      }
  return pairs;
}

std::string part_of(double fraction) { return fmt::format("{:.1f}%", 100 * fraction); }

std::string right(const Pairs& pairs) {
  return pairs.all == 0 ? "" : fmt::format("{} of {}", pairs.right, pairs.all);
}

std::vector<std::string> line_of(std::vector<std::string> keys, const TestRows& rows) {
  const Errors e = errors_of_training(rows);
  keys.insert(keys.end(), {fmt::format("{}", e.rows), part_of(e.median), part_of(e.p90),
                           part_of(e.worst), fmt::format("{:+.1f}%", 100 * e.bias)});
  return keys;
}

std::string by(const TestRows& rows, const char* what, std::string (*key)(const TrainingRow&)) {
  std::map<std::string, TestRows> groups;
  for (const PredictedTraining* row : rows) groups[key(row->row)].push_back(row);
  std::vector<std::vector<std::string>> table;
  const auto add = [&](const std::string& name, const TestRows& of) {
    table.push_back(line_of({name}, of));
    table.back().insert(table.back().end(), {right(pairs_of_training(of, kPairsApart)),
                                             right(pairs_of_training(of, 0))});
  };
  for (const auto& [name, of] : groups) add(name, of);
  if (groups.size() > 1) add("all", rows);
  return compact({what, "rows", "median", "p90", "worst", "bias", "pairs right", "all pairs"},
                 table);
}

}  // namespace

std::string training_tables(const TrainingValidation& validation) {
  const TestRows rows = test_rows(validation);
  const auto calibrated = std::count_if(
      validation.rows.begin(), validation.rows.end(),
      [](const PredictedTraining& p) { return p.row.split == Split::calibrate && p.predicted_us; });
  std::string text;
  if (rows.empty())
    text = fmt::format("{}: no row of split test is predicted.\n", validation.file);
  else
    text = fmt::format(
        "{}: errors of {} predicted step times of split test; {} rows of split calibrate "
        "determine {} numbers.\n\n{}",
        validation.file, rows.size(), calibrated, validation.parameters.size(),
        by(rows, "model and network",
           [](const TrainingRow& r) { return r.model + ", " + r.network; }));
  if (!rows.empty() && !rows.front()->row.method.empty())
    text += "\n" + by(rows, "method", [](const TrainingRow& r) { return r.method; });
  std::map<std::string, std::size_t> reasons;
  for (const PredictedTraining& row : validation.rows)
    if (!row.predicted_us) ++reasons[row.reason];
  for (const auto& [reason, number] : reasons)
    text +=
        fmt::format("\n{} left out: {}.\n", show_plural(static_cast<Count>(number), "row"), reason);
  return text;
}

std::string training_misses(const TrainingValidation& validation, double least) {
  TestRows rows = test_rows(validation);
  std::erase_if(rows,
                [&](const PredictedTraining* row) { return std::abs(row->error()) <= least; });
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return std::abs(std::log(1 + a->error())) > std::abs(std::log(1 + b->error()));
  });
  std::vector<std::vector<std::string>> table;
  for (const PredictedTraining* p : rows)
    table.push_back({p->row.model, p->row.network, p->row.method, fmt::format("{}", p->row.gpus),
                     show_time(p->row.step_us()), show_time(*p->predicted_us),
                     fmt::format("{:+.0f}%", 100 * p->error())});
  if (table.empty())
    return fmt::format("{}: no error is above {:.0f}%.\n", validation.file, 100 * least);
  return compact({"model", "network", "method", "GPUs", "measured", "predicted", "error"}, table);
}

std::string training_parameters(const TrainingValidation& validation) {
  std::vector<std::vector<std::string>> table;
  for (const TrainingValidation::Value& value : validation.parameters)
    table.push_back({validation.file, value.name, fmt::format("{:.3g}", value.value)});
  return markdown({"file", "parameter", "value"}, table);
}

Json to_json(const PredictedTraining& p, const std::string& file) {
  return {{"schema", kSchema},
          {"kind", "validate_training"},
          {"file", file},
          {"model", p.row.model},
          {"network", p.row.network},
          {"method", text_or_null(p.row.method)},
          {"gpus", p.row.gpus},
          {"batch_per_gpu", p.row.batch_per_gpu},
          {"split", name(p.row.split)},
          {"measured_us", p.row.step_us()},
          {"predicted_us", or_null(p.predicted_us)},
          {"skipped", p.predicted_us ? Json(nullptr) : Json(p.reason)}};
}

}  // namespace arlab::bench
