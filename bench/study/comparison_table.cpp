// The table of a study: one row per run, with its gain over the baseline.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "bench/study/compression_study.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

struct Row {
  const RunSummary& run;
  const Comparison& comparison;
};

struct Cells {
  std::string header;
  std::function<std::string(const Row&)> cell;
};

// Rounds to two digits: an interpolation is not more accurate.
double rounded(double x) {
  if (!(x > 0)) return x;
  const double digit = std::pow(10, std::floor(std::log10(x * 8)) - 1) / 8;
  return std::round(x / digit) * digit;
}

std::string step_time(double seconds) { return seconds > 0 ? show_time(1e6 * seconds) : ""; }

std::string gain_text(const Row& r) {
  if (r.comparison.result == Comparison::Result::best_dense) return "baseline";
  if (!r.comparison.gain || r.run.diverged()) return "";
  const std::string text = fmt::format("{:+.1f}%", 100 * *r.comparison.gain);
  return text == "-0.0%" ? "+0.0%" : text;
}

std::string reached_text(const Row& r, bool with_target) {
  const Comparison& c = r.comparison;
  if (!c.target) return "";
  const std::string when = c.reached ? show_time(1e6 * *c.reached) : "not reached";
  return with_target ? show_percent(*c.target) + ": " + when : when;
}

std::string result_text(const Row& r, const RunSummary* baseline) {
  switch (r.comparison.result) {
    case Comparison::Result::best_dense:
      return "best dense";
    case Comparison::Result::dense:
      return "dense";
    case Comparison::Result::gains:
      return "gains";
    case Comparison::Result::even:
      return "no difference";
    case Comparison::Result::loses:
      return "loses";
    case Comparison::Result::inaccurate:
      return fmt::format("{:.1f} points worse", 100 * (baseline->accuracy - r.run.accuracy));
    case Comparison::Result::late:
      return "later at the target";
    case Comparison::Result::diverged:
      return "diverged";
    case Comparison::Result::alone:
      break;
  }
  return "no baseline";
}

// A column with the same text in every row becomes part of the line above the table.
struct Common {
  std::string after;  // "8", " workers"
  std::function<std::string(const Row&)> cell;
  std::string header;
};

std::vector<Common> commons() {
  return {{"", [](const Row& r) { return r.run.model; }, "model"},
          {" workers", [](const Row& r) { return std::to_string(r.run.workers); }, "workers"},
          {"", [](const Row& r) { return r.run.batch; }, "batch"},
          {"", [](const Row& r) { return r.run.strategy; }, "strategy"},
          {"", [](const Row& r) { return r.run.link(); }, "link"}};
}

bool same(const std::vector<Row>& rows, const std::function<std::string(const Row&)>& cell) {
  for (const Row& r : rows)
    if (cell(r) != cell(rows.front())) return false;
  return true;
}

// The columns of all tables. `goal`: the header of the time to an accuracy.
std::vector<Cells> columns_of(std::span<const RunSummary> runs, const std::string& goal,
                              bool with_target) {
  return {
      {"bandwidth",
       [](const Row& r) { return r.run.bandwidth > 0 ? show_bandwidth(r.run.bandwidth) : ""; }},
      {"compressor", [](const Row& r) { return r.run.dense() ? "none" : r.run.compressor; }},
      {"aggregation", [](const Row& r) { return r.run.aggregation; }},
      {"scheduler", [](const Row& r) { return r.run.scheduler; }},
      {"accuracy",
       [](const Row& r) { return r.run.diverged() ? "diverged" : show_percent(r.run.accuracy); }},
      {"steps", [](const Row& r) { return show_count(r.run.steps); }},
      {"bytes/step", [](const Row& r) { return show_bytes(std::llround(r.run.bytes)); }},
      {"time/step", [](const Row& r) { return step_time(r.run.seconds); }},
      {"exposed", [](const Row& r) { return step_time(r.run.exposed); }},
      {"codec", [](const Row& r) { return step_time(r.run.codec); }},
      {"net", gain_text},
      {"break-even",
       [](const Row& r) {
         return r.comparison.break_even ? to_string(*r.comparison.break_even) : "";
       }},
      {goal, [=](const Row& r) { return reached_text(r, with_target); }},
      {"result",
       [=](const Row& r) {
         return result_text(r, r.comparison.baseline ? &runs[*r.comparison.baseline] : nullptr);
       }},
  };
}

}  // namespace

std::string to_string(const BreakEven& b) {
  switch (b.kind) {
    case BreakEven::Kind::at:
      return show_bandwidth(rounded(b.bandwidth));
    case BreakEven::Kind::below:
      return "< " + show_bandwidth(b.bandwidth);
    case BreakEven::Kind::above:
      return "> " + show_bandwidth(b.bandwidth);
    case BreakEven::Kind::about:
      return "about " + show_bandwidth(rounded(b.bandwidth));
    case BreakEven::Kind::always:
      return "any";
    case BreakEven::Kind::never:
      break;
  }
  return "never";
}

std::string comparison_table(std::span<const RunSummary> runs, std::optional<double> target) {
  const std::vector<Comparison> all = compare(runs, target);
  if (all.empty()) return "";
  std::vector<Row> rows;
  for (const Comparison& c : all) rows.push_back({runs[c.run], c});
  const auto target_of = [](const Row& r) {
    return r.comparison.target ? show_percent(*r.comparison.target) : std::string();
  };

  std::string above;
  std::vector<Cells> columns;
  for (const Common& c : commons()) {
    if (!same(rows, c.cell)) {
      columns.push_back({c.header, c.cell});
    } else if (const std::string text = c.cell(rows.front()); !text.empty()) {
      const std::string after = text == "1" && c.header == "workers" ? " worker" : c.after;
      above += (above.empty() ? "" : ", ") + text + after;
    }
  }
  std::set<std::string> targets;
  for (const Row& r : rows) targets.insert(target_of(r));
  targets.erase("");
  const bool one_target = targets.size() == 1;
  const std::string goal = "time to " + (one_target ? *targets.begin() : "accuracy");
  const std::vector<Cells> own = columns_of(runs, goal, !one_target);
  columns.insert(columns.end(), own.begin(), own.end());
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Cells& column : columns) {
    header.push_back(column.header);
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i].push_back(column.cell(rows[i]));
  }
  return above + (above.empty() ? "" : ". ") +
         "Net: the part of the baseline's step that is saved (+) or lost (-).\n\n" +
         compact(header, cells);
}

}  // namespace arlab::bench
