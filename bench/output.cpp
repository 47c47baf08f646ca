#include "bench/output.hpp"

#include <fmt/format.h>

#include <iostream>

#include "algorithms/error.hpp"
#include "bench/context.hpp"
#include "bench/table.hpp"
#include "bench/units.hpp"

namespace arlab {

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
    : table_(options.json != "-" && options.csv != "-"), progress_(steps) {
  if (options.resume && (options.json.empty() || options.json == "-"))
    fail(Blame::usage, "--resume needs the file to go on with: --json FILE");
  if (options.json == "-" && options.csv == "-")
    fail(Blame::usage, "--json - and --csv - would both write to stdout: name a file for one");
  if (!options.json.empty())
    json_.emplace(options.json, options.resume ? ResultFile::Mode::resume : ResultFile::Mode::fresh,
                  context(options.command));
  if (options.csv == "-") {
    csv_ = &std::cout;
  } else if (!options.csv.empty()) {
    csv_file_.emplace(options.csv, std::ios::trunc);
    if (!*csv_file_) fail(Blame::environment, "cannot write " + options.csv);
    csv_ = &*csv_file_;
  }
}

bool Output::has(const Record& record) {
  if (!json_ || !json_->has(identity(to_json(record)))) return false;
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
  if (csv_) {
    if (std::exchange(csv_header_, false)) *csv_ << csv_header(json);
    *csv_ << csv_row(json) << std::flush;
  }
  wrong_ += record.wrong.value_or(0);
  ++done_;
  records_.push_back(std::move(record));
}

int Output::finish() {
  progress_.clear();
  if (table_) std::cout << table(records_) << std::flush;
  if (resumed_ > 0) fmt::print(stderr, "note: {} configurations were there already\n", resumed_);
  if (wrong_ > 0) fmt::print(stderr, "error: {} wrong\n", wrong_);
  return wrong_ > 0 ? 1 : 0;
}

}  // namespace arlab
