// CSV table: reads a file of comma-separated values with a header line, and checks each number it
// gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

class CsvTable {
 public:
  /// `name` is for messages. Throws Error(usage), with the line, if the text is empty, if a line
  /// has another number of fields than the header, or if a column of `required` is missing.
  CsvTable(std::string_view text, std::string name, const std::vector<std::string_view>& required);

  std::size_t rows() const { return rows_.size(); }
  /// Returns a field; empty if there is no such column.
  std::string text(std::size_t row, std::string_view column) const;
  /// Throws Error(usage), with line and column, unless the field is a finite number of at least
  /// `least`.
  double number(std::size_t row, std::string_view column, double least) const;
  /// Throws Error(usage), with line and column, unless the field is a whole number of at least
  /// `least`.
  std::int64_t whole(std::size_t row, std::string_view column, std::int64_t least) const;
  /// Throws Error(usage) that names line, column, and value.
  [[noreturn]] void refuse(std::size_t row, std::string_view column, std::string_view remedy) const;

 private:
  static constexpr std::size_t kMissing = static_cast<std::size_t>(-1);
  std::size_t column(std::string_view name) const;

  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;  // of each row
};

}  // namespace arlab::bench
