// Output: writes the records of a sweep, each to the result files at once, all as a table at the
// end.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/options/options.hpp"
#include "bench/results/csv.hpp"
#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/progress.hpp"

namespace arlab::bench {

/// Returns the record of a configuration that has not run yet: its head, with the cost that the
/// algorithm claims, or the reason why it is skipped.
Record record_of(Record::Body body, const Config& config);

/// Throws Error(usage) if two outputs are the same file, and Error(environment) if the table cannot
/// be written.
void check_outputs(const SweepOptions& options);

/// Throws Error(usage) if --sort or --columns name what a table of this kind of records lacks.
void check_table(const SweepOptions& options, std::string_view kind);

class Output {
 public:
  Output(const SweepOptions& options, std::size_t steps);

  /// Returns whether the file that is being resumed holds this configuration.
  bool holds(const Record& record) const;
  /// The same of all these, and one command wrote them, whose times can be compared.
  bool holds_together(const std::vector<Record>& records) const;
  /// Counts a configuration that the file holds. Its row goes to the --csv file, which is written
  /// anew.
  void keep(const Record& record);
  /// Counts a configuration that the file holds, but which is measured again beside others.
  void repeat() { ++repeated_; }
  void show(const Record& record);  ///< progress: this configuration is next; thread-safe
  /// `position`: of its row in the table; records with the same one keep their order.
  void add(Record record, std::size_t position = 0);

  bool empty() const { return records_.empty(); }

  /// Prints the table and what it answers, unless a file of records went to stdout, after
  /// `complete` has changed its records. Returns the exit code: 1 if anything was wrong.
  int finish(const std::function<void(std::vector<Record>&)>& complete = {});

 private:
  void print_table(const std::function<void(std::vector<Record>&)>& complete);
  void remember(Json record);

  std::optional<ResultFile> json_;
  std::optional<CsvFile> csv_;
  std::string table_;  ///< file of the table; empty: none
  TableView view_;
  bool is_part_;             ///< of a sweep that processes share
  bool is_quiet_;            ///< stdout holds records, and nothing else
  std::vector<Json> shown_;  ///< what sentences are about, also what the file held
  std::vector<std::pair<std::size_t, Record>> records_;  // and their positions in the table
  std::shared_ptr<Progress> progress_;                   ///< or null
  std::shared_ptr<Caller> caller_;                       ///< or null
  std::size_t steps_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::size_t resumed_ = 0, repeated_ = 0;
  std::size_t wrong_ = 0;
};

}  // namespace arlab::bench
