// The table of a verdict: a row a run, with what it gained against the best dense one.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "bench/cli/units.hpp"
#include "bench/results/table.hpp"
#include "bench/study/verdict.hpp"

namespace arlab::bench {
namespace {

struct Row {
  const Trial& trial;
  const Judgement& judgement;
};

struct Cells {
  std::string header;
  std::function<std::string(const Row&)> cell;
};

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

// To two digits, which is more than an interpolation knows.
double rounded(double x) {
  if (!(x > 0)) return x;
  const double digit = std::pow(10, std::floor(std::log10(x * 8)) - 1) / 8;
  return std::round(x / digit) * digit;
}

std::string step_time(double seconds) { return seconds > 0 ? show_time(1e6 * seconds) : ""; }

std::string gain_text(const Row& r) {
  if (r.judgement.standing == Standing::best_dense) return "yardstick";
  if (!r.judgement.gain || r.trial.diverged()) return "";
  const std::string text = fmt::format("{:+.1f}%", 100 * *r.judgement.gain);
  return text == "-0.0%" ? "+0.0%" : text;
}

std::string reached_text(const Row& r, bool with_target) {
  const Judgement& j = r.judgement;
  if (!j.target) return "";
  const std::string when = j.reached ? show_time(1e6 * *j.reached) : "not reached";
  return with_target ? percent(*j.target) + ": " + when : when;
}

std::string words_of(const Row& r, const Trial* yardstick) {
  switch (r.judgement.standing) {
    case Standing::best_dense:
      return "best dense";
    case Standing::dense:
      return "dense";
    case Standing::gains:
      return "gains";
    case Standing::even:
      return "no difference";
    case Standing::loses:
      return "loses";
    case Standing::inaccurate:
      return fmt::format("{:.1f} points worse", 100 * (yardstick->accuracy - r.trial.accuracy));
    case Standing::late:
      return "later at the target";
    case Standing::diverged:
      return "diverged";
    case Standing::alone:
      break;
  }
  return "nothing to compare with";
}

// What a column says in every row is said once, above the table.
struct Common {
  std::string after;  // "8", " workers"
  std::function<std::string(const Row&)> cell;
  std::string header;
};

std::vector<Common> commons() {
  return {{"", [](const Row& r) { return r.trial.model; }, "model"},
          {" workers", [](const Row& r) { return std::to_string(r.trial.workers); }, "workers"},
          {"", [](const Row& r) { return r.trial.strategy; }, "strategy"},
          {"", [](const Row& r) { return r.trial.link(); }, "link"}};
}

bool same(const std::vector<Row>& rows, const std::function<std::string(const Row&)>& cell) {
  for (const Row& r : rows)
    if (cell(r) != cell(rows.front())) return false;
  return true;
}

// What differs from run to run. `goal`: the header of the time to an accuracy.
std::vector<Cells> columns_of(std::span<const Trial> trials, const std::string& goal,
                              bool with_target) {
  return {
      {"bandwidth",
       [](const Row& r) { return r.trial.bandwidth > 0 ? show_bandwidth(r.trial.bandwidth) : ""; }},
      {"compressor", [](const Row& r) { return r.trial.dense() ? "none" : r.trial.compressor; }},
      {"aggregation", [](const Row& r) { return r.trial.aggregation; }},
      {"scheduler", [](const Row& r) { return r.trial.scheduler; }},
      {"accuracy",
       [](const Row& r) { return r.trial.diverged() ? "diverged" : percent(r.trial.accuracy); }},
      {"steps", [](const Row& r) { return show_count(r.trial.steps); }},
      {"bytes/step", [](const Row& r) { return show_bytes(std::llround(r.trial.bytes)); }},
      {"time/step", [](const Row& r) { return step_time(r.trial.seconds); }},
      {"exposed", [](const Row& r) { return step_time(r.trial.exposed); }},
      {"codec", [](const Row& r) { return step_time(r.trial.codec); }},
      {"net", gain_text},
      {"break-even",
       [](const Row& r) { return r.judgement.break_even ? text_of(*r.judgement.break_even) : ""; }},
      {goal, [=](const Row& r) { return reached_text(r, with_target); }},
      {"verdict",
       [=](const Row& r) {
         return words_of(r, r.judgement.yardstick ? &trials[*r.judgement.yardstick] : nullptr);
       }},
  };
}

}  // namespace

std::string text_of(const BreakEven& b) {
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

std::string verdict(std::span<const Trial> trials, std::optional<double> target) {
  const std::vector<Judgement> all = judge(trials, target);
  if (all.empty()) return "";
  std::vector<Row> rows;
  for (const Judgement& j : all) rows.push_back({trials[j.trial], j});
  const auto target_of = [](const Row& r) {
    return r.judgement.target ? percent(*r.judgement.target) : std::string();
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
  const std::vector<Cells> own = columns_of(trials, goal, !one_target);
  columns.insert(columns.end(), own.begin(), own.end());
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const Cells& column : columns) {
    header.push_back(column.header);
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i].push_back(column.cell(rows[i]));
  }
  return above + (above.empty() ? "" : ". ") +
         "Net: the part of the best dense step that is saved (+) or lost (-).\n\n" +
         compact(header, cells);
}

}  // namespace arlab::bench
