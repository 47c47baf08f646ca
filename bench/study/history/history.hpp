// History: the times of several result files in order of date, configuration by configuration and
// host by host: what changed, and in which file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/results/result_file.hpp"
#include "bench/study/regression.hpp"
#include "bench/text/table_view.hpp"

namespace arlab::bench {

/// One file, and what its contexts say; texts of several contexts are joined.
struct HistoryFile {
  std::string path;
  std::string date = {};  ///< of its first record, "2026-11-21T04:00:00Z"; empty: not known
  std::string host = {}, cpu = {}, mpi = {}, nccl = {}, commit = {};
  Results results = {};
  std::size_t times = 0;  ///< records that have a time
};

/// The times of one configuration on one host.
struct Trend {
  using Verdict = TimeComparison::Verdict;

  Json record;              ///< the latest; null: all configurations of the host together
  std::size_t members = 1;  ///< configurations
  std::string host;
  std::vector<std::size_t> files = {};  ///< by number, in order
  std::vector<double> times_us = {};    ///< of each; together: geometric means
  std::size_t since = 0;                ///< number of the file in which the new level begins
  double before_us = 0, after_us = 0;   ///< the levels: geometric means
  double p = 1;                         ///< corrected for the places and for the configurations
  Verdict verdict = Verdict::same;
  double ratio() const { return after_us / before_us; }
  bool has_changed() const { return verdict == Verdict::slower || verdict == Verdict::faster; }
};

struct History {
  std::vector<HistoryFile> files;  ///< in order of date
  std::vector<Trend> all;          ///< together first, then the largest ratio
  std::size_t once = 0;            ///< configurations that a host has in one file only
  std::size_t hosts = 0;
  bool failed() const;  ///< whether any is slower or wrong
};

/// Takes what the contexts of a file say.
HistoryFile history_file(std::string path, Results results);

/// Sorts the files by date, if all have one, and looks for one change per configuration and host.
/// It counts if it is larger than `threshold` and its p, corrected by Holm, is below 0.05; half of
/// this level is for the configurations of a host together, which show what is too small or too
/// noisy in each. Files are taken to differ by chance by 0.7 of the threshold at least (simulated
/// times: not at all), since few files may agree by chance.
History history_of(std::vector<HistoryFile> files, double threshold);

/// Returns the names of the files, without the folders that all have in common.
std::vector<std::string> short_names(const std::vector<HistoryFile>& files);

/// Sorts the files by date, if all have one.
void sort_by_date(std::vector<HistoryFile>& files);

/// Returns the files with their hosts and versions, as Markdown.
std::string files_table(const std::vector<HistoryFile>& files);

/// Returns a row per configuration and host. Exceptions are those that changed or are wrong.
Table table(const History& history);

/// Returns what became slower or faster, since when, and what else changed in those files.
std::vector<std::string> sentences(const History& history, double threshold);

/// Returns a record per row of the table.
std::vector<Json> records_of(const History& history);

/// Returns the record of a change, as yet only of what: null, or the record of a configuration.
Json change_of(const Json& configuration);
std::string verdict_word(TimeComparison::Verdict verdict);  ///< in records

}  // namespace arlab::bench
