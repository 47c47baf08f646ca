#include "bench/validation/nccl/validation_answers.hpp"

#include <fmt/format.h>

#include "bench/text/units.hpp"
#include "bench/validation/errors.hpp"

namespace arlab::bench {
namespace {

// The errors of rows that were not fitted.
template <class Rows, class Fitted>
std::vector<double> errors_in(const Rows& rows, const Fitted& is_fitted) {
  std::vector<double> errors;
  for (const auto& row : rows)
    if (row.predicted_us && !is_fitted(row.row.split)) errors.push_back(row.error());
  return errors;
}

void add_sentence(const std::vector<double>& errors, const char* what,
                  std::vector<std::string>& said) {
  if (errors.empty()) return;
  const Errors e = errors_of(errors);
  said.push_back(fmt::format(
      "{}, only predicted: half of them within {:.1f}%, nine of ten within {:.1f}%, worst {:.0f}%.",
      show_plural(std::ssize(errors), what), 100 * e.median, 100 * e.p90, 100 * e.worst));
}

// How well the intervals of the predictions hold.
void add_coverage(const Validation& times, std::vector<std::string>& said) {
  std::vector<const PredictedRow*> rows;
  for (const PredictedRow& row : times.rows)
    if (row.predicted_us && row.row.split == Split::test) rows.push_back(&row);
  if (rows.empty()) return;
  said.push_back(fmt::format("{:.0f}% of these times are within the interval predicted for 80%.",
                             100 * coverage_of(rows).covered));
}

}  // namespace

std::vector<std::string> sentences(const std::optional<Validation>& times,
                                   const std::vector<TrainingValidation>& training,
                                   const std::optional<NcclValidation>& nccl) {
  std::vector<std::string> said;
  const auto fitted = [](Split split) { return split == Split::calibrate; };
  if (times) {
    add_sentence(errors_in(times->rows, fitted), "published time", said);
    add_coverage(*times, said);
  }
  std::vector<double> steps;
  for (const TrainingValidation& one : training)
    for (const double error : errors_in(one.rows, fitted)) steps.push_back(error);
  add_sentence(steps, "training step", said);
  if (nccl)
    add_sentence(
        errors_in(nccl->rows, [](NcclSplit split) { return split == NcclSplit::calibrate; }),
        "NCCL time", said);
  return said;
}

}  // namespace arlab::bench
