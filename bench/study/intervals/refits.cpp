#include "bench/study/intervals/refits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/results/statistics.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/fit/intervals.hpp"

namespace arlab::bench {
namespace {

// Of a record whose network is a machine file; empty of others.
std::string machine_file_of(const Json& record) {
  constexpr std::string_view kFile = "file=";
  const std::string text = text_at(record, "machine");
  return text.starts_with(kFile) ? text.substr(kFile.size(), text.find(',') - kFile.size()) : "";
}

// "16 and 64 ranks", "8 MiB", or both.
std::string outside_text(const std::set<Count>& ranks, const std::set<Count>& sizes) {
  std::vector<std::string> parts;
  const auto ends = [](const std::set<Count>& all, const auto& text) {
    return all.size() == 1 ? text(*all.begin()) : text(*all.begin()) + " to " + text(*all.rbegin());
  };
  if (!ranks.empty())
    parts.push_back(ends(ranks, [](Count n) { return with_commas(n); }) + " ranks");
  if (!sizes.empty()) parts.push_back(ends(sizes, [](Count n) { return show_bytes(n); }));
  return fmt::format("{}", fmt::join(parts, ", and "));
}

std::string outside_note(std::span<const Json* const> records) {
  std::set<Count> ranks, sizes;
  std::string calibrated;
  for (const Json* const record : records) {
    const Json& refits = member(*record, "refits");
    if (!refits.is_object() || member(*record, "beyond_calibration") != Json(true)) continue;
    const Count p = record->at("ranks").get<Count>(), bytes = record->at("bytes").get<Count>();
    const auto most_ranks = refits.at("ranks").get<Count>();
    const double least = refits.at("bytes")[0].get<double>(),
                 most = refits.at("bytes")[1].get<double>();
    if (p > most_ranks) ranks.insert(p);
    if (const auto size = static_cast<double>(bytes); size < least || size > most)
      sizes.insert(bytes);
    calibrated =
        fmt::format("{}, {} to {}", show_plural(most_ranks, "rank"),
                    show_bytes(static_cast<Count>(least)), show_bytes(static_cast<Count>(most)));
  }
  if (calibrated.empty()) return "";
  return fmt::format("Outside what was calibrated ({}): {}. The intervals are wider for it.",
                     calibrated, outside_text(ranks, sizes));
}

}  // namespace

double log_deviation(std::span<const double> values) {
  if (values.size() < 2 || *std::min_element(values.begin(), values.end()) <= 0) return 0;
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  return summarize(std::move(logs)).deviation;
}

RatioInterval ratio_interval(const RefittedTime& a, const RefittedTime& b) {
  expects(a.by_refit.size() == b.by_refit.size(), "refits of one machine");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.by_refit.size(); ++i)
    ratios.push_back(a.by_refit[i] / b.by_refit[i]);
  const double ratio = a.us / b.us;
  const double factor =
      std::exp(kHalfWidth * std::hypot(log_deviation(ratios), std::hypot(a.lack, b.lack)));
  return {ratio, ratio / factor, ratio * factor};
}

std::optional<RefittedTime> refitted_time(const Json& record) {
  const Json &refits = member(record, "refits"), &us = member(record, "modelled_us");
  if (!refits.is_object() || !us.is_number() || us.get<double>() <= 0) return std::nullopt;
  return RefittedTime{us.get<double>(), refits.at("us").get<std::vector<double>>(),
                      refits.at("spread").get<double>()};
}

std::string text_of(const RatioInterval& r) {
  return fmt::format("{:.2f} times, 80% interval {:.2f} to {:.2f}", r.ratio, r.low, r.high);
}

std::vector<std::string> calibration_notes(std::span<const Json* const> records) {
  std::vector<std::string> notes;
  if (std::string outside = outside_note(records); !outside.empty())
    notes.push_back(std::move(outside));
  for (const Json* const record : records) {
    const std::string file = machine_file_of(*record);
    if (file.empty() || member(*record, "refits").is_object() ||
        !member(*record, "disturbance").is_null() || !member(*record, "modelled_us").is_number())
      continue;
    notes.push_back(
        fmt::format("No intervals: {} has no table [interval], as older files; calibrate "
                    "the machine again for them.",
                    file));
    break;
  }
  return notes;
}

}  // namespace arlab::bench
