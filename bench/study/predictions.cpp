#include "bench/study/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "bench/results/statistics.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

PredictionErrors errors_of(std::string what, const std::vector<const Prediction*>& rows) {
  PredictionErrors e{.what = std::move(what), .rows = rows.size()};
  std::vector<double> sizes, signs;
  for (const Prediction* p : rows) {
    sizes.push_back(std::abs(p->error()));
    signs.push_back(p->error());
    if (std::abs(p->error()) > std::abs(e.worst)) e.worst = p->error();
  }
  e.median = summarize(sizes).median;
  e.bias = summarize(signs).median;
  return e;
}

template <class Key>
void add_errors_by(PredictionSummary& summary, const std::function<Key(const Json&)>& key,
                   const std::function<std::string(const Key&)>& text) {
  std::map<Key, std::vector<const Prediction*>> groups;
  for (const Prediction& p : summary.rows) groups[key(p.record)].push_back(&p);
  for (const auto& [value, rows] : groups) summary.errors.push_back(errors_of(text(value), rows));
}

// What the algorithms of one problem have in common.
std::string problem_of(const Json& record) {
  std::string all;
  for (const char* key : {"backend", "collective", "ranks", "elements", "dtype", "op", "root",
                          "segments", "place", "mode", "repeats", "cache", "start"})
    all += record.contains(key) ? record[key].dump() + " " : "null ";
  return all;
}

// What the row with the least prediction took; of several such, their mean.
double chosen_us(const std::vector<double>& measured, const std::vector<double>& modelled) {
  const double least = *std::min_element(modelled.begin(), modelled.end());
  double sum = 0, ties = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (modelled[i] == least) sum += measured[i], ++ties;
  return sum / ties;
}

void compare_choices(PredictionSummary& summary) {
  std::map<std::string, std::vector<const Prediction*>> problems;
  for (const Prediction& p : summary.rows) problems[problem_of(p.record)].push_back(&p);
  double taus = 0, costs = 0;
  for (const auto& [problem, rows] : problems) {
    if (rows.size() < 2) continue;
    ++summary.problems;
    std::vector<double> measured, modelled;
    for (const Prediction* p : rows) {
      measured.push_back(p->measured_us);
      modelled.push_back(p->modelled_us);
    }
    taus += kendall_tau(measured, modelled);
    const double cost =
        chosen_us(measured, modelled) / *std::min_element(measured.begin(), measured.end());
    costs += cost;
    summary.worst_cost_of_choice = std::max(summary.worst_cost_of_choice, cost);
  }
  if (summary.problems == 0) return;
  summary.tau = taus / static_cast<double>(summary.problems);
  summary.cost_of_choice = costs / static_cast<double>(summary.problems);
}

std::string part(double value) { return fmt::format("{:+.1f}%", 100 * value); }

}  // namespace

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double concordant = 0, in_a = 0, in_b = 0;
  const auto sign = [](double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; };
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const int x = sign(a[i] - a[k]), y = sign(b[i] - b[k]);
      concordant += x * y;
      in_a += x * x;
      in_b += y * y;
    }
  return in_a > 0 && in_b > 0 ? concordant / std::sqrt(in_a * in_b) : 0;
}

PredictionSummary summarize_predictions(const std::vector<Json>& records) {
  PredictionSummary summary;
  for (const Json& r : records) {
    const auto time = r.find("time_us"), modelled = r.find("modelled_us");
    if (r.value("kind", "") != "run" || time == r.end() || !time->is_object() ||
        modelled == r.end() || !modelled->is_number())
      continue;
    const double measured = (*time)["median"].get<double>();
    if (measured > 0) summary.rows.push_back({r, measured, modelled->get<double>()});
  }
  if (summary.rows.empty()) return summary;
  std::stable_sort(summary.rows.begin(), summary.rows.end(),
                   [](const Prediction& a, const Prediction& b) {
                     return std::abs(a.error()) > std::abs(b.error());
                   });
  std::vector<const Prediction*> all;
  for (const Prediction& p : summary.rows) all.push_back(&p);
  summary.errors.push_back(errors_of("all", all));
  add_errors_by<std::string>(
      summary, [](const Json& r) { return r["algorithm"].get<std::string>(); },
      [](const std::string& name) { return name; });
  add_errors_by<std::int64_t>(
      summary, [](const Json& r) { return r["bytes"].get<std::int64_t>(); },
      [](std::int64_t bytes) { return show_bytes(bytes); });
  add_errors_by<std::int64_t>(
      summary, [](const Json& r) { return r["ranks"].get<std::int64_t>(); },
      [](std::int64_t ranks) { return show_plural(ranks, "rank"); });
  compare_choices(summary);
  return summary;
}

std::string prediction_tables(const PredictionSummary& s, std::size_t misses) {
  std::vector<std::vector<std::string>> errors, rows;
  for (const PredictionErrors& e : s.errors)
    errors.push_back({e.what, std::to_string(e.rows), fmt::format("{:.1f}%", 100 * e.median),
                      part(e.worst), part(e.bias)});
  for (const Prediction& p : s.rows) {
    if (rows.size() == misses) break;
    rows.push_back({p.record["algorithm"].get<std::string>(),
                    std::to_string(p.record["ranks"].get<std::int64_t>()),
                    show_bytes(p.record["bytes"].get<std::int64_t>()), show_time(p.measured_us),
                    show_time(p.modelled_us), part(p.error())});
  }
  std::string text = markdown({"predictions", "rows", "median error", "worst", "bias"}, errors);
  if (s.problems > 0)
    text += fmt::format(
        "\nOrder of the algorithms, mean of {}: Kendall's tau {:.2f}. The algorithm with the least "
        "prediction takes {:.3f} times the least measured time, at most {:.2f} times.\n",
        show_plural(static_cast<std::int64_t>(s.problems), "problem"), s.tau, s.cost_of_choice,
        s.worst_cost_of_choice);
  if (!rows.empty())
    text += "\n" + markdown({"algorithm", "ranks", "size", "measured", "modelled", "error"}, rows);
  return text;
}

Json to_json(const PredictionSummary& s) {
  Json errors = Json::array();
  for (const PredictionErrors& e : s.errors)
    errors.push_back({{"what", e.what},
                      {"rows", e.rows},
                      {"median", e.median},
                      {"worst", e.worst},
                      {"bias", e.bias}});
  return {{"errors", errors},
          {"problems", s.problems},
          {"tau", s.tau},
          {"cost_of_choice", s.cost_of_choice},
          {"worst_cost_of_choice", s.worst_cost_of_choice}};
}

}  // namespace arlab::bench
