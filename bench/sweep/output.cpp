#include "bench/sweep/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/options/caller.hpp"
#include "bench/results/context.hpp"
#include "bench/results/record_table.hpp"
#include "bench/study/answers.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {

Record record_of(Record::Body body, const Config& config) {
  Record r;
  r.body = std::move(body);
  r.problem = config.problem;
  r.operand = config.operand;
  r.segments = config.segments;
  if (!config.algorithm) return r;
  const Algorithm& a = *config.algorithm;
  r.algorithm = a.name;
  r.label = a.label;
  r.color = a.color;
  r.family = a.family;
  if (std::string why = unsupported(a, config.problem); !why.empty()) {
    r.skipped = std::move(why);
    return r;
  }
  r.lanes =
      static_cast<int>(std::min(config.problem.elements, Count{config.segments} * Count{a.lanes}));
  if (!a.cost_model)
    fail(Blame::check, fmt::format("{} has no cost_model: write its closed form", a.name));
  r.claimed = predicted_cost(a, config.problem, config.segments);
  r.has_formula = a.has_formula;
  return r;
}

void check_outputs(const SweepOptions& options) {
  if (options.resume && (options.json.empty() || options.json == "-"))
    fail(Blame::usage, "--resume needs the file to continue: add --json FILE");
  // A table on stdout gives way to records.
  const bool asked = options.output != "-" && !options.output.empty();
  if (asked) check_writable(options.output);
}

void check_table(const SweepOptions& options, std::string_view kind) {
  if (!options.shows_table()) return;
  std::vector<std::string> names;
  for (const Column& column : columns_of(kind)) names.push_back(column.header);
  check_columns(options.view, names);
}

Output::Output(const SweepOptions& options, std::size_t steps)
    : table_(options.shows_table() ? options.output : ""),
      view_(options.view),
      is_part_(options.share),
      is_quiet_(options.prints_records()),
      progress_(options.progress),
      caller_(options.caller),
      steps_(steps) {
  check_outputs(options);
  if (!options.json.empty())
    json_.emplace(options.json,
                  options.resume ? ResultFile::Mode::resume : ResultFile::Mode::resumable,
                  context(options.command, options.machine ? *options.machine : Json()));
  if (json_ && !options.also_held.empty()) json_->hold(options.also_held);
  if (!options.csv.empty()) csv_.emplace(options.csv);
  if (progress_) progress_->begin(steps);
}

bool Output::holds(const Record& record) const {
  return json_ && json_->find(to_json(record)) != nullptr;
}

bool Output::holds_together(const std::vector<Record>& records) const {
  std::vector<Json> all;
  for (const Record& record : records) all.push_back(to_json(record));
  return json_ && json_->holds_together(all);
}

void Output::keep(const Record& record) {
  const Json& held = *json_->find(to_json(record));
  if (csv_) csv_->add(held);
  remember(held);
  if (held["wrong"].is_number() && held["wrong"] > 0) ++wrong_;
  ++done_;
  ++resumed_;
}

void Output::show(const Record& r) {
  if (!progress_) return;
  progress_->show(
      done_, fmt::format("{} {} ranks {}", r.algorithm, r.problem.ranks, show_bytes(r.bytes())));
}

void Output::add(Record record, std::size_t position) {
  const Json json = to_json(record);
  if (json_) json_->add(json);
  if (csv_) csv_->add(json);
  if (caller_) {
    caller_->records.push_back(json);
    if (caller_->progress) caller_->progress(done_ + 1, steps_);
  }
  remember(json);
  if (record.wrong.value_or(0) > 0) ++wrong_;
  ++done_;
  records_.emplace_back(position, std::move(record));
}

// For sentences, without what they do not need and may be long.
void Output::remember(Json record) {
  if (is_part_ || caller_ || is_quiet_ || table_.empty()) return;
  for (const char* key : {"rank_times_us", "critical_path_us", "claimed"}) record.erase(key);
  shown_.push_back(std::move(record));
}

void Output::print_table(const std::function<void(std::vector<Record>&)>& complete) {
  std::stable_sort(records_.begin(), records_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Record> rows;
  for (auto& [position, record] : records_) rows.push_back(std::move(record));
  if (complete) complete(rows);
  const bool printed = table_ == "-";
  write_file(table_,
             show_table(table_of(rows, view_), view_, printed ? stdout_terminal() : Terminal{}));
  say_written(table_);
}

int Output::finish(const std::function<void(std::vector<Record>&)>& complete) {
  if (progress_) progress_->clear();
  if (caller_) return wrong_ > 0 ? 1 : 0;
  const bool has_rows = resumed_ == 0 || !records_.empty();
  if (!table_.empty() && has_rows) print_table(complete);
  print_sentences(answers(shown_), table_ == "-" && has_rows);
  check_stdout();
  if (resumed_ > 0)
    say("note: the file already held {} of {} configurations{}\n", resumed_, done_.load(),
        table_.empty() ? "" : ", which the table leaves out: see all with arlab report");
  if (repeated_ > 0)
    say("note: {} in the file, and measured again in turns with others of the same problem\n",
        show_plural(static_cast<Count>(repeated_), "configuration"));
  if (wrong_ > 0)
    say("error: {} of {} gave wrong results: see 'wrong' in the records (--json -)\n", wrong_,
        show_plural(static_cast<Count>(done_.load()), "configuration"));
  return wrong_ > 0 ? 1 : 0;
}

}  // namespace arlab::bench
