#include "bench/measure/samples_file.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "bench/results/csv.hpp"
#include "bench/text/write_file.hpp"
#include "training/io/json.hpp"

namespace arlab::bench {
namespace {

Json line_of(const Record& r, std::size_t run, double us) {
  const auto& body = r.as<RunBody>();
  return {{"backend", body.backend},
          {"algorithm", r.algorithm},
          {"collective", name(r.problem.collective)},
          {"ranks", r.problem.ranks},
          {"elements", r.problem.elements},
          {"dtype", name(r.operand.dtype)},
          {"op", name(r.operand.op)},
          {"root", r.problem.root},
          {"segments", r.segments},
          {"place", body.place()},
          {"mode", body.timing()},
          {"repeats", body.mode.repeats},
          {"cache", body.cache()},
          {"run", run},
          {"time_us", us},
          {"start_us", nullptr},
          {"rank", nullptr},
          {"enter_us", nullptr},
          {"leave_us", nullptr}};
}

double first_entry(const std::vector<Intervals>& by_rank, std::size_t run) {
  double first = by_rank.front()[run].enter;
  for (const Intervals& rank : by_rank) first = std::min(first, rank[run].enter);
  return first;
}

}  // namespace

SamplesFile::SamplesFile(std::string path)
    : path_(std::move(path)), csv_(path_.ends_with(".csv")), file_(open_new(path_)) {
  if (!csv_) return;
  Record none;
  none.body = RunBody{};
  const std::string header = csv_header(csv_columns(line_of(none, 0, 0)));
  if (std::fputs(header.c_str(), file_.get()) < 0) cannot_write(path_);
}

void SamplesFile::write(const Json& line) {
  const std::string text =
      csv_ ? csv_row(line, csv_columns(line)) : training::json_text(line) + "\n";
  if (std::fputs(text.c_str(), file_.get()) < 0) cannot_write(path_);
}

void SamplesFile::add(const Record& record, const Measurement& m) {
  const std::vector<Intervals>& by_rank = m.intervals;
  for (std::size_t run = 0; run < m.samples_us.size(); ++run) {
    Json line = line_of(record, run, m.samples_us[run]);
    if (by_rank.empty()) {
      write(line);
      continue;
    }
    const double first = first_entry(by_rank, run);
    line["start_us"] = 1e6 * (first - first_entry(by_rank, 0));
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      line["rank"] = rank;
      line["enter_us"] = 1e6 * (by_rank[rank][run].enter - first);
      line["leave_us"] = 1e6 * (by_rank[rank][run].leave - first);
      write(line);
    }
  }
  if (std::fflush(file_.get()) != 0) cannot_write(path_);
}

}  // namespace arlab::bench
