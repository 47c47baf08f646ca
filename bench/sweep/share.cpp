#include "bench/sweep/share.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/files/lock_file.hpp"
#include "collectives/files/output_file.hpp"

namespace arlab::bench {
namespace fs = std::filesystem;

std::vector<Range> parts_of(std::span<const double> seconds, Rank ranks) {
  constexpr double kEach = 1e-4;  // also of a configuration that is skipped
  double all = 0;
  for (const double s : seconds) all += s + kEach;
  std::vector<Range> parts;
  std::size_t at = 0;
  double done = 0;
  for (Rank r = 0; r < ranks; ++r) {
    const std::size_t begin = at;
    // A configuration belongs to the part in which its middle lies.
    const double until = all * (r + 1) / ranks;
    while (at < seconds.size() && (r + 1 == ranks || done + (seconds[at] + kEach) / 2 < until))
      done += seconds[at++] + kEach;
    parts.push_back({begin, at});
  }
  return parts;
}

std::string part_path(const std::string& path, Rank rank, Rank ranks) {
  return fmt::format("{}.{}-of-{}", path, rank, ranks);
}

void check_share(const SweepOptions& options) {
  const LaunchedRank self = expect_launched_rank();
  if (options.json.empty() || options.json == "-")
    fail(Blame::usage,
         "--jobs share needs a file for the records of all processes: add --json FILE");
  if (options.csv == "-" || options.output != "-")
    fail(Blame::usage, "--jobs share writes files, not tables: leave out --output and --csv -");
  const std::string part = part_path(options.json, self.rank, self.ranks);
  std::error_code ignored;
  if (!options.resume && fs::exists(part, ignored))
    fail(Blame::usage,
         fmt::format("{} is left of a sweep that did not end: continue it with --resume, or remove "
                     "the file",
                     part));
}

Share::Share(const SweepOptions& options, const std::vector<Record>& records,
             std::span<const double> seconds)
    : self_(expect_launched_rank()),
      json_(options.json),
      csv_(options.csv),
      part_(options),
      parts_(parts_of(seconds, self_.ranks)) {
  for (const Record& record : records) identities_.push_back(identity(to_json(record)));
  part_.json = part_path(json_, self_.rank, self_.ranks);
  part_.csv.clear();
  part_.output.clear();
  std::error_code ignored;
  if (!options.resume || !fs::exists(json_, ignored)) return;
  part_.also_held = json_;
  for (const Json& record : read_results(json_).records) held_.insert(identity(record));
}

bool Share::resumes() const { return !part_.also_held.empty(); }

bool Share::has_part(Rank rank) const {
  std::error_code ignored;
  return fs::exists(part_path(json_, rank, self_.ranks), ignored);
}

// Whether the file of this part and the resumed one hold all of its configurations.
bool Share::complete(Rank rank) const {
  if (!resumes() && !has_part(rank)) return false;  // also if it has nothing to do
  std::set<std::string> there = held_;
  if (has_part(rank)) {
    const Results part = read_results(part_path(json_, rank, self_.ranks));
    if (part.contexts.empty() || part.cut_short) return false;
    for (const Json& record : part.records) there.insert(identity(record));
  }
  const auto [begin, end] = parts_[static_cast<std::size_t>(rank)];
  for (std::size_t i = begin; i < end; ++i)
    if (!there.contains(identities_[i])) return false;
  return true;
}

void Share::write_merged() const {
  std::string text = resumes() ? read_file(json_, "run the sweep again") : "";
  if (const Results held = resumes() ? read_results(json_) : Results{}; held.cut_short)
    text.resize(static_cast<std::size_t>(held.whole_bytes));
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (Rank r = 0; r < self_.ranks; ++r)
    if (has_part(r))
      text += read_file(part_path(json_, r, self_.ranks), "run the sweep again with --resume");
  const std::string file = collectives::behind_links(json_);
  const std::string whole = fmt::format("{}.merging-{}", file, self_.rank);
  write_file(whole, text);
  if (!resumes()) keep_earlier(json_);
  std::error_code error;
  fs::rename(whole, file, error);
  if (error)
    fail(Blame::environment,
         fmt::format("cannot rename {} to {} ({}): the parts {} are complete, "
                     "join them with cat",
                     whole, json_, error.message(), part_path(json_, 0, self_.ranks)));
  if (!csv_.empty()) {
    CsvFile csv(csv_);
    for (Json& record : read_results(json_).records) {
      record.erase("context");
      csv.add(record);
    }
  }
  for (Rank r = 0; r < self_.ranks; ++r) fs::remove(part_path(json_, r, self_.ranks), error);
}

void Share::merge() const {
  const std::string own = part_path(json_, self_.rank, self_.ranks);
  using collectives::LockFile;  // one process at a time merges
  const LockFile lock(fmt::format("{}.of-{}.lock", json_, self_.ranks),
                      LockFile::When::as_soon_as_possible);
  if (!has_part(self_.rank)) return;  // another process has merged it
  const auto count = static_cast<Count>(read_results(own).records.size());
  if (resumes() && count == 0) {
    fs::remove(own);
    say("rank {} of {}: {} holds all of its records\n", self_.rank, self_.ranks, json_);
    return;
  }
  say("rank {} of {}: wrote {} to {}\n", self_.rank, self_.ranks, show_plural(count, "record"),
      own);
  for (Rank r = 0; r < self_.ranks; ++r)
    if (!complete(r)) return;  // a later process merges
  write_merged();
  say("rank {} of {}: all parts are complete: merged {} into {}\n", self_.rank, self_.ranks,
      show_plural(static_cast<Count>(identities_.size()), "record"), json_);
}

}  // namespace arlab::bench
