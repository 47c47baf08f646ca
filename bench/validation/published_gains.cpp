#include "bench/validation/published_gains.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/text/table.hpp"
#include "bench/validation/published/csv_table.hpp"
#include "bench/validation/training_step.hpp"

namespace arlab::bench {
namespace {

// As the priors of training_prediction.cpp.
constexpr double kGainNodeRate = 8, kGainUsedOfLine = 0.95;  // GB/s; a part
constexpr int kRates = 64;                                   // that a range of networks is cut into

double gain_step_of(const PublishedGain& row, const training::Profile& layers,
                    const std::string& method, double gbit_per_s) {
  return training_step(layers, parse_training_method(method),
                       {kGainNodeRate, kGainUsedOfLine * gbit_per_s / 8, row.gpus_per_node,
                        row.startup_us, row.ns_per_byte},
                       row.gpus);
}

double gain_at(const PublishedGain& row, const training::Profile& layers, double gbit_per_s) {
  const double step = gain_step_of(row, layers, row.method, gbit_per_s);
  if (row.baseline.empty()) return 1e12 * row.batch_per_gpu / row.one_gpu_samples_per_s / step;
  return gain_step_of(row, layers, row.baseline, gbit_per_s) / step - 1;
}

PredictedGain predicted_gain(const PublishedGain& row, const training::ModelProfile& profile) {
  const training::Profile layers =
      layers_taking(profile, 1e6 * row.batch_per_gpu / row.one_gpu_samples_per_s, 0);
  PredictedGain result{.row = row, .predicted = {}, .at_gbit_per_s = row.gbit_per_s, .reason = ""};
  result.predicted = gain_at(row, layers, row.gbit_per_s);
  if (row.least_gbit_per_s == 0) return result;
  for (int i = 0; i < kRates; ++i) {
    const double rate = row.least_gbit_per_s * std::pow(row.gbit_per_s / row.least_gbit_per_s,
                                                        static_cast<double>(i) / kRates);
    if (const double gain = gain_at(row, layers, rate); gain > *result.predicted) {
      result.predicted = gain;
      result.at_gbit_per_s = rate;
    }
  }
  return result;
}

PublishedGain gain_row_of(const CsvTable& table, std::size_t i) {
  constexpr double kLeast = 1e-9;
  constexpr std::int64_t kMostGpus = 1 << 20;
  PublishedGain row{.source = table.text(i, "source"),
                    .model = table.text(i, "model"),
                    .method = table.text(i, "method"),
                    .baseline = table.text(i, "baseline"),
                    .batch_per_gpu = table.number(i, "batch_per_gpu", kLeast),
                    .one_gpu_samples_per_s = table.number(i, "one_gpu_samples_per_s", kLeast),
                    .gbit_per_s = table.number(i, "gbit_per_s", kLeast),
                    .value = table.number(i, "value", -1)};
  if (!table.text(i, "least_gbit_per_s").empty())
    row.least_gbit_per_s = table.number(i, "least_gbit_per_s", kLeast);
  if (row.least_gbit_per_s > row.gbit_per_s)
    table.refuse(i, "least_gbit_per_s", "give at most gbit_per_s");
  if (!table.text(i, "ns_per_byte").empty() || !table.text(i, "startup_us").empty()) {
    row.startup_us = table.number(i, "startup_us", 0);
    row.ns_per_byte = table.number(i, "ns_per_byte", kLeast);
    if (row.least_gbit_per_s > 0 || row.method.ends_with("-PS") || row.baseline.ends_with("-PS"))
      table.refuse(i, "ns_per_byte",
                   "leave it and startup_us empty, with a range of networks and with servers");
  }
  const std::int64_t gpus = table.whole(i, "gpus", 1), node = table.whole(i, "gpus_per_node", 1);
  if (gpus > kMostGpus || node > gpus)
    table.refuse(i, "gpus", "give a number of GPUs that exists, at least those of a node");
  row.gpus = static_cast<Rank>(gpus);
  row.gpus_per_node = static_cast<Rank>(node);
  for (const char* column : {"source", "model", "method"})
    if (table.text(i, column).empty()) table.refuse(i, column, "give its name");
  return row;
}

std::string gain_percent(double value) { return fmt::format("{:.0f}%", 100 * value); }

}  // namespace

std::vector<PublishedGain> read_published_gains(std::string_view text, const std::string& name) {
  const CsvTable table(
      text, name,
      {"source", "model", "gpus", "gpus_per_node", "batch_per_gpu", "one_gpu_samples_per_s",
       "least_gbit_per_s", "gbit_per_s", "method", "baseline", "value"});
  std::vector<PublishedGain> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) rows.push_back(gain_row_of(table, i));
  return rows;
}

std::vector<PredictedGain> predict_gains(const std::vector<PublishedGain>& rows,
                                         const FindProfile& find) {
  std::vector<PredictedGain> all;
  for (const PublishedGain& row : rows) {
    PredictedGain left_out{.row = row, .predicted = {}, .at_gbit_per_s = 0, .reason = ""};
    const auto profile = find(row.model);
    for (const std::string& method : {row.method, row.baseline})
      if (!method.empty() && parse_training_method(method).scheduler.empty())
        left_out.reason = fmt::format("no scheduler of method {}", method);
    if (!profile) left_out.reason = fmt::format("no profile of model {}", row.model);
    all.push_back(left_out.reason.empty() ? predicted_gain(row, *profile) : left_out);
  }
  return all;
}

std::string gain_table(const std::vector<PredictedGain>& rows) {
  std::vector<std::vector<std::string>> table;
  std::string left_out;
  for (const PredictedGain& p : rows) {
    if (!p.predicted) {
      left_out += fmt::format("\n{} left out: {}.\n", p.row.source, p.reason);
      continue;
    }
    const bool gains = !p.row.baseline.empty();
    table.push_back({p.row.source, p.row.model, fmt::format("{}", p.row.gpus),
                     p.row.least_gbit_per_s == 0
                         ? fmt::format("{:.3g}", p.row.gbit_per_s)
                         : fmt::format("{:.3g}..{:.3g}", p.row.least_gbit_per_s, p.row.gbit_per_s),
                     gains ? fmt::format("{} over {}", p.row.method, p.row.baseline)
                           : fmt::format("efficiency of {}", p.row.method),
                     gain_percent(p.row.value), gain_percent(*p.predicted),
                     p.row.least_gbit_per_s == 0 ? "" : fmt::format("{:.3g}", p.at_gbit_per_s),
                     fmt::format("{:+.0f}", 100 * p.error())});
  }
  return fmt::format(
      "published_gains.csv: predictions from the stated inputs; nothing is fitted.\n\n{}{}",
      compact({"source", "model", "GPUs", "Gbit/s", "what", "published", "predicted", "at Gbit/s",
               "points off"},
              table),
      left_out);
}

Json to_json(const PredictedGain& p, const std::string& file) {
  return {{"schema", kSchema},
          {"kind", "validate_gain"},
          {"file", file},
          {"source", p.row.source},
          {"model", p.row.model},
          {"method", p.row.method},
          {"baseline", text_or_null(p.row.baseline)},
          {"gpus", p.row.gpus},
          {"gbit_per_s", p.row.gbit_per_s},
          {"published", p.row.value},
          {"predicted", or_null(p.predicted)},
          {"at_gbit_per_s", p.predicted ? Json(p.at_gbit_per_s) : Json(nullptr)},
          {"skipped", p.predicted ? Json(nullptr) : Json(p.reason)}};
}

}  // namespace arlab::bench
