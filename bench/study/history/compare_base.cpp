#include "bench/study/history/compare_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using Verdict = TimeComparison::Verdict;

// A file beside the base.
struct BesideBase {
  std::size_t file = 0;
  TimeComparisons times;
  Count count(Verdict verdict) const {
    return std::count_if(times.all.begin(), times.all.end(),
                         [&](const TimeComparison& c) { return c.verdict == verdict; });
  }
  // Of all configurations that both have: the geometric mean of their ratios.
  double together() const {
    double sum = 0;
    for (const TimeComparison& c : times.all) sum += std::log(c.ratio);
    return std::exp(sum / static_cast<double>(times.all.size()));
  }
};

// In what the machines of the base and of others differ: a difference of times may be theirs.
std::string different_origins(const std::vector<HistoryFile>& files, std::size_t base) {
  constexpr std::pair<const char*, std::string HistoryFile::*> kOrigins[] = {
      {"host", &HistoryFile::host},
      {"cpu", &HistoryFile::cpu},
      {"mpi", &HistoryFile::mpi},
      {"nccl", &HistoryFile::nccl},
      {"commit", &HistoryFile::commit}};
  std::vector<std::string> parts;
  for (const auto& [what, member] : kOrigins) {
    const std::string& mine = files[base].*member;
    std::set<std::string> others;
    for (const HistoryFile& file : files)
      if (const std::string& its = file.*member; !its.empty() && its != mine) others.insert(its);
    if (!mine.empty() && !others.empty())
      parts.push_back(fmt::format("{} {} and {}", what, mine, fmt::join(others, ", ")));
  }
  if (parts.empty()) return "";
  return fmt::format("The files differ in {}.", fmt::join(parts, "; "));
}

std::string beside_table(const std::vector<HistoryFile>& files, std::size_t base,
                         const std::vector<BesideBase>& all) {
  const std::vector<std::string> names = short_names(files);
  std::vector<std::vector<std::string>> rows;
  for (const BesideBase& one : all) {
    const Count common = std::ssize(one.times.all);
    std::vector<std::string> row{names[one.file], show_count(common)};
    for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::wrong})
      row.push_back(show_count(one.count(verdict)));
    row.push_back(common > 0 ? fmt::format("{:.3f}", one.together()) : "");
    rows.push_back(std::move(row));
  }
  return markdown({"beside " + names[base], "in common", "slower", "faster", "wrong", "together"},
                  rows);
}

Json record_of(const HistoryFile& before, const HistoryFile& after, const TimeComparison& c) {
  Json record = change_of(c.record);
  const bool changed = c.verdict == Verdict::slower || c.verdict == Verdict::faster;
  record["configurations"] = 1;
  record["host"] = after.host.empty() ? "unknown" : after.host;
  record["files"] = {before.path, after.path};
  record["dates"] = {text_or_null(before.date), text_or_null(after.date)};
  record["times_us"] = {c.old_us, c.new_us};
  record["since"] = changed ? Json(after.path) : Json(nullptr);
  record["since_date"] = changed ? text_or_null(after.date) : Json(nullptr);
  record["before_us"] = c.old_us;
  record["after_us"] = c.new_us;
  record["ratio"] = c.ratio;
  record["p"] = std::isfinite(c.high) ? Json(c.p) : Json(nullptr);
  record["verdict"] = verdict_word(c.verdict);
  return record;
}

void say_missing(const TimeComparisons& times, const std::string& before,
                 const std::string& after) {
  if (times.only_old + times.only_new == 0) return;
  say("note: {} only in {}, {} only in {}\n",
      show_plural(static_cast<Count>(times.only_old), "configuration"), before,
      show_plural(static_cast<Count>(times.only_new), "configuration"), after);
}

// Whether the file ends before all that the base has: says so. What is missing is not compared.
bool says_lack(const HistoryFile& file, const TimeComparisons& times) {
  if (!file.results.cut_short || times.only_old == 0) return false;
  say("error: {} is cut, or its benchmark failed: {} of the base are missing\n", file.path,
      show_plural(static_cast<Count>(times.only_old), "configuration"));
  return true;
}

bool says_failures(const HistoryFile& file) {
  for (const std::string& failure : file.results.failures) say("error: {}\n", failure);
  return !file.results.failures.empty();
}

}  // namespace

std::size_t baseline_number(const std::vector<HistoryFile>& files, const std::string& name) {
  constexpr std::size_t kShortestCommit = 4;
  const std::vector<std::string> names = short_names(files);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::filesystem::path path(files[i].path);
    const bool is_commit = name.size() >= kShortestCommit && files[i].commit.starts_with(name);
    if (name == files[i].path || name == names[i] || name == path.filename() ||
        name == path.stem() || is_commit)
      found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  fail(Blame::usage,
       fmt::format("--baseline {} is {} the files {}: name one of them, or its commit", name,
                   found.empty() ? "none of" : "several of", fmt::join(names, ", ")));
}

int compare_base(const std::vector<HistoryFile>& files, std::size_t base,
                 const HistoryCommand& command) {
  std::vector<BesideBase> all;
  std::vector<Json> records;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i == base) continue;
    all.push_back({.file = i,
                   .times = compare_records(files[base].results.records, files[i].results.records,
                                            command.threshold)});
    for (const TimeComparison& c : all.back().times.all)
      records.push_back(record_of(files[base], files[i], c));
  }
  const BesideBase& last = all.back();
  const std::string &before = files[base].path, &after = files[last.file].path;
  if (last.times.all.empty())
    fail(Blame::usage, fmt::format("{} and {} have no measured configuration in common: compare "
                                   "files that the same command wrote with --json",
                                   before, after));
  std::string head = files_table(files) + "\n";
  if (all.size() > 1) head += beside_table(files, base, all) + "\n";
  write_changes(command, head, table(last.times), records);
  std::vector<std::string> answer = sentences(last.times, command.threshold);
  if (all.size() > 1)
    answer.insert(answer.begin(), fmt::format("The latest, {}, beside {}:", after, before));
  if (std::string note = different_origins(files, base); !note.empty())
    answer.insert(answer.begin(), std::move(note));
  print_sentences(answer, command.output == "-");
  for (const BesideBase& one : all) say_missing(one.times, before, files[one.file].path);
  const bool lacks = says_lack(files[last.file], last.times);
  const bool failed = says_failures(files[last.file]);
  if (!last.times.failed()) return lacks || failed ? 1 : 0;
  say("error: of {}, {} slower by more than {:.3g}%, {} wrong\n",
      show_plural(std::ssize(last.times.all), "configuration"), last.count(Verdict::slower),
      100 * command.threshold, last.count(Verdict::wrong));
  return 1;
}

}  // namespace arlab::bench
