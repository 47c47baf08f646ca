#include "bench/results/output.hpp"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/cli/units.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/results/context.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/record_table.hpp"

namespace arlab::bench {

Record record_of(std::string kind, const Config& config) {
  Record r;
  r.kind = std::move(kind);
  r.problem = config.problem;
  r.operand = config.operand;
  r.segments = config.segments;
  if (!config.algorithm) return r;
  const Algorithm& a = *config.algorithm;
  r.algorithm = a.name;
  r.label = a.label;
  r.color = a.color;
  r.family = a.family;
  if (const std::string why = unsupported(a, config.problem); !why.empty()) {
    r.skipped = why;
    return r;
  }
  r.lanes = static_cast<int>(lanes_of(a, config.problem, config.segments).size());
  r.claimed = claimed(a, config.problem, config.segments);
  return r;
}

Output::Output(const SweepOptions& options, std::size_t steps)
    : csv_name_(options.csv), table_(options.json != "-" && options.csv != "-"), progress_(steps) {
  if (options.resume && (options.json.empty() || options.json == "-"))
    fail(Blame::usage, "--resume needs the file to go on with: --json FILE");
  if (options.json == "-" && options.csv == "-")
    fail(Blame::usage, "--json - and --csv - would both write to stdout: name a file for one");
  if (!options.json.empty() && options.json == options.csv)
    fail(Blame::usage,
         fmt::format("--json and --csv are both {}: name a file for each", options.json));
  if (!options.json.empty())
    json_.emplace(options.json, options.resume ? ResultFile::Mode::resume : ResultFile::Mode::fresh,
                  context(options.command, options.machine ? *options.machine : Json()));
  if (options.csv == "-") {
    csv_ = &std::cout;
  } else if (!options.csv.empty()) {
    keep_earlier(options.csv);
    make_folder_of(options.csv);
    csv_file_.emplace(options.csv, std::ios::trunc);
    if (!*csv_file_) cannot_write(options.csv);
    csv_ = &*csv_file_;
  }
}

bool Output::has(const Record& record) {
  const Json* there = json_ ? json_->find(to_json(record)) : nullptr;
  if (!there) return false;
  add_csv(*there);
  ++done_;
  ++resumed_;
  return true;
}

void Output::show(const Record& r) {
  progress_.show(
      done_, fmt::format("{} {} ranks {}", r.algorithm, r.problem.ranks, show_bytes(r.bytes())));
}

void Output::add(Record record) {
  const Json json = to_json(record);
  if (json_) json_->add(json);
  add_csv(json);
  if (record.wrong.value_or(0) > 0) ++wrong_;
  ++done_;
  records_.push_back(std::move(record));
}

void Output::add_csv(const Json& record) {
  if (!csv_) return;
  if (std::exchange(csv_header_, false)) *csv_ << csv_header(record);
  *csv_ << csv_row(record) << std::flush;
  if (!*csv_) cannot_write(csv_name_);
}

int Output::finish() {
  progress_.clear();
  if (table_) std::cout << table(records_);
  check_stdout();
  if (resumed_ > 0)
    fmt::print(stderr, "note: {} of {} configurations were there already\n", resumed_, done_);
  if (wrong_ > 0)
    fmt::print(stderr, "error: {} of {} came out wrong: see 'wrong' in the records (--json -)\n",
               wrong_, show_plural(static_cast<Count>(records_.size()), "configuration"));
  return wrong_ > 0 ? 1 : 0;
}

}  // namespace arlab::bench
