// CSV: records as comma-separated values, quoted by RFC 4180.
//
// The columns are the JSON keys; the parts of a nested key are joined by a dot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/locked_file.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns the columns of all records of this one's kind.
std::vector<std::string> csv_columns(const Json& record);

/// Returns one line. A column that the record lacks is empty.
std::string csv_row(const Json& record, const std::vector<std::string>& columns);
/// Returns the first line of a file.
std::string csv_header(const std::vector<std::string>& columns);

/// Writes records of one kind: the header before the first one, and a line per record.
class CsvFile {
 public:
  /// path "-" is stdout. Renames an earlier file to <path>.1, .2, .... Throws Error(environment) if
  /// the file cannot be written.
  explicit CsvFile(std::string path);

  /// Writes a line and flushes it.
  void add(const Json& record);

 private:
  std::string path_;
  LockedFile file_;
  std::vector<std::string> columns_;
};

}  // namespace arlab::bench
