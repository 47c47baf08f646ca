#include "bench/study/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "bench/results/record_table.hpp"
#include "bench/study/rank_sum.hpp"
#include "bench/study/student.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kSigmas = 1.959964;  // of 95%
constexpr double kLevel = 0.05;
// Fewer need a known spread within each.
constexpr std::size_t kFewestLaunches = 4;

LogMedian log_median(const Json& record) {
  const Json& time = record["time_us"];
  LogMedian m{std::log(time["median"].get<double>()), {}};
  const double low = time["ci95"][0], high = time["ci95"][1];
  if (record["kind"] == "simulate")
    m.error = 0;
  else if (time["n"].get<Count>() >= 6 && low > 0)
    m.error = (std::log(high) - std::log(low)) / (2 * kSigmas);
  return m;
}

// Of several launches: the median. Their spread is at least that within them.
LogMedian combined(std::vector<LogMedian> launches) {
  std::sort(launches.begin(), launches.end(),
            [](const LogMedian& a, const LogMedian& b) { return a.value < b.value; });
  const std::size_t n = launches.size();
  if (n == 1) return launches.front();
  LogMedian all{(launches[(n - 1) / 2].value + launches[n / 2].value) / 2, {}};
  double mean = 0, within = 0, between = 0;
  for (const LogMedian& m : launches) {
    if (!m.error && n < kFewestLaunches) return all;
    mean += m.value / static_cast<double>(n);
    within += m.error.value_or(0) * m.error.value_or(0) / static_cast<double>(n);
  }
  for (const LogMedian& m : launches)
    between += (m.value - mean) * (m.value - mean) / static_cast<double>(n - 1);
  // The error of a median is larger than that of a mean, by up to this for normal distributions.
  const double more = n > 2 ? std::sqrt(std::numbers::pi / 2) : 1;
  all.error = more * std::sqrt(std::max(within, between) / static_cast<double>(n));
  all.freedom = static_cast<double>(n - 1);
  return all;
}

// Degrees of freedom of the error of a difference, after Welch and Satterthwaite.
double freedom_of(const LogMedian& a, const LogMedian& b) {
  const double u = *a.error * *a.error, v = *b.error * *b.error;
  return (u + v) * (u + v) / (u * u / a.freedom + v * v / b.freedom);
}

bool has_time(const Json& record) {
  return record.contains("time_us") && record["time_us"].is_object() &&
         record["time_us"]["median"].get<double>() > 0;
}

TimeComparison compared(const MeasuredSide& old_side, const MeasuredSide& new_side) {
  const LogMedian was = old_side.median(), is = new_side.median();
  TimeComparison c;
  c.record = new_side.last;
  c.old_us = std::exp(was.value);
  c.new_us = std::exp(is.value);
  c.ratio = std::exp(is.value - was.value);
  c.old_launches = old_side.launches.size();
  c.new_launches = new_side.launches.size();
  if (!was.error || !is.error) {
    c.of_logs = is_of_log(old_side.last) && is_of_log(new_side.last);
    c.verdict = TimeComparison::Verdict::unsure;
    c.low = 0;
    c.high = INFINITY;
    return c;
  }
  const double error = std::hypot(*was.error, *is.error), distance = std::abs(is.value - was.value);
  if (error > 0) {
    const double freedom = freedom_of(was, is), reach = error * student_distance(kLevel, freedom);
    c.low = c.ratio * std::exp(-reach);
    c.high = c.ratio * std::exp(reach);
    c.p = student_p(distance / error, freedom);
  } else {
    c.low = c.high = c.ratio;
    c.p = distance > 0 ? 0 : 1;
  }
  return c;
}

TimeComparison::Verdict by_ratio(double ratio, double threshold) {
  if (ratio > 1 + threshold) return TimeComparison::Verdict::slower;
  if (ratio < 1 / (1 + threshold)) return TimeComparison::Verdict::faster;
  return TimeComparison::Verdict::same;
}

// With p corrected over all comparisons that have one.
void decide(std::vector<TimeComparison>& all, double threshold) {
  std::vector<double> p;
  for (const TimeComparison& c : all)
    if (c.verdict != TimeComparison::Verdict::unsure) p.push_back(c.p);
  const std::vector<double> corrected = holm_corrected(p);
  auto next = corrected.begin();
  for (TimeComparison& c : all) {
    if (c.verdict == TimeComparison::Verdict::unsure) continue;
    c.p = *next++;
    if (c.p < kLevel) c.verdict = by_ratio(c.ratio, threshold);
  }
  for (TimeComparison& c : all)
    if (c.of_logs) c.verdict = by_ratio(c.ratio, threshold);
}

}  // namespace

LogMedian MeasuredSide::median() const { return combined(launches); }

bool is_of_log(const Json& record) {
  const auto source = record.find("source");
  return source != record.end() && source->is_string();
}

std::map<std::string, MeasuredSide> sides_of(const std::vector<Json>& records) {
  std::map<std::string, MeasuredSide> all;
  for (const Json& record : records) {
    if (!has_time(record)) continue;
    MeasuredSide& side = all[identity(record)];
    side.launches.push_back(log_median(record));
    side.last = record;
    if (const Json& wrong = record["wrong"]; wrong.is_number()) side.wrong += wrong.get<Count>();
  }
  return all;
}

bool TimeComparisons::failed() const {
  return std::any_of(all.begin(), all.end(), [](const TimeComparison& c) {
    return c.verdict == TimeComparison::Verdict::slower ||
           c.verdict == TimeComparison::Verdict::wrong;
  });
}

TimeComparisons compare_records(const std::vector<Json>& old_records,
                                const std::vector<Json>& new_records, double threshold) {
  const auto before = sides_of(old_records), after = sides_of(new_records);
  TimeComparisons r;
  for (const auto& [key, side] : before) r.only_old += after.contains(key) ? 0 : 1;
  std::vector<Count> wrong;
  for (const auto& [key, side] : after) {
    const auto found = before.find(key);
    if (found == before.end())
      ++r.only_new;
    else
      r.all.push_back(compared(found->second, side)), wrong.push_back(side.wrong);
  }
  decide(r.all, threshold);
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (wrong[i] > 0) r.all[i].verdict = TimeComparison::Verdict::wrong;
  std::stable_sort(
      r.all.begin(), r.all.end(),
      [](const TimeComparison& a, const TimeComparison& b) { return a.ratio > b.ratio; });
  return r;
}

std::string name(TimeComparison::Verdict verdict) {
  constexpr std::string_view kNames[] = {"slower", "faster", "same", "not enough runs", "WRONG"};
  return std::string(kNames[static_cast<std::size_t>(verdict)]);
}

std::vector<const char*> compared_settings() {
  std::vector<const char*> all = identity_keys();
  all.erase(all.begin(), all.begin() + 3);
  return all;
}

std::vector<std::string> configuration_cells(const Json& record) {
  return {cell_text(record.at("algorithm")), cell_text(record.at("ranks")),
          show_bytes(record.at("bytes").get<Count>())};
}

TableRow verdict_row(std::vector<std::string> cells, TimeComparison::Verdict verdict) {
  using Verdict = TimeComparison::Verdict;
  const bool bad = verdict == Verdict::slower || verdict == Verdict::wrong;
  const bool good = verdict == Verdict::faster;
  return {.cells = std::move(cells),
          .emphasis = bad    ? Emphasis::bad
                      : good ? Emphasis::good
                             : Emphasis::none,
          .is_exception = bad || good};
}

Table table(const TimeComparisons& regression) {
  Table table;
  table.columns = {{"algorithm"}, {"ranks"}, {"size"}};
  const std::vector<const char*> settings = differing_keys(compared_settings(), regression.all);
  for (const char* setting : settings) table.columns.push_back({setting, Detail::some});
  const auto several = [](const TimeComparison& c) { return c.old_launches + c.new_launches > 2; };
  const bool launches = std::any_of(regression.all.begin(), regression.all.end(), several);
  if (launches) table.columns.push_back({"launches", Detail::some});
  const Table::Column others[] = {
      {"old"},    {"new"}, {"new/old"}, {"95% CI of new/old", Detail::some}, {"p", Detail::some},
      {"verdict"}};
  table.columns.insert(table.columns.end(), std::begin(others), std::end(others));
  for (const TimeComparison& c : regression.all) {
    std::vector<std::string> row = configuration_cells(c.record);
    for (const char* key : settings) row.push_back(cell_text(c.record.value(key, Json())));
    if (launches) row.push_back(fmt::format("{}, {}", c.old_launches, c.new_launches));
    const bool known = std::isfinite(c.high);
    row.insert(row.end(), {show_time(c.old_us), show_time(c.new_us), fmt::format("{:.3f}", c.ratio),
                           known ? fmt::format("{:.3f} to {:.3f}", c.low, c.high) : "",
                           known ? fmt::format("{:.2g}", c.p) : "", name(c.verdict)});
    table.rows.push_back(verdict_row(std::move(row), c.verdict));
  }
  return table;
}

}  // namespace arlab::bench
