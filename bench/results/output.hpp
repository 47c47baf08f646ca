// Output: where the records of a sweep go: result files as they come, and a table for people at the
// end.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/cli/options.hpp"
#include "bench/cli/progress.hpp"
#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

/// The record of a configuration before it is done: what it is, and what its algorithm claims.
Record record_of(std::string kind, const Config& config);

class Output {
 public:
  Output(const SweepOptions& options, std::size_t steps);

  /// Whether the file that is being resumed holds this configuration. If it does, its row goes to
  /// the --csv file, which is written anew.
  bool has(const Record& record);
  void show(const Record& record);  ///< progress: this one is being done
  void add(Record record);

  /// Prints the table unless a file went to stdout. Returns the exit code: 1 if anything was wrong.
  int finish();

 private:
  void add_csv(const Json& record);

  std::optional<ResultFile> json_;
  std::optional<std::ofstream> csv_file_;
  std::string csv_name_;
  std::ostream* csv_ = nullptr;
  bool csv_header_ = true;
  bool table_;
  std::vector<Record> records_;
  Progress progress_;
  std::size_t done_ = 0;
  std::size_t resumed_ = 0;
  std::size_t wrong_ = 0;
};

}  // namespace arlab::bench
