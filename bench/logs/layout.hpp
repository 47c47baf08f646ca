// Layout: the columns of a table, as the line that heads it names them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

enum class LogTool { nccl_tests, osu, imb };

enum class LogColumn {
  size,
  count,
  type,
  op,
  root,
  time,
  cpu_time,
  algbw,
  busbw,
  wrong,
  error,  // nccl-tests
  average,
  least,
  most,
  repetitions,  // OSU, IMB
  number,
  word  // passed over
};

struct LogLayout {
  LogTool tool = LogTool::nccl_tests;
  std::vector<LogColumn> columns = {};
  double microseconds = 1;  ///< of a unit of time
  bool implied = false;     ///< no line heads the table
  /// Returns the number of columns of this kind.
  int count(LogColumn column) const;
};

/// Reads a line from its # on: those that head a table of nccl-tests (1 and 2), of OSU, or of IMB.
/// Nothing if it heads none. Columns that are not known are passed over; an OSU line with words
/// that are not known heads no table.
std::optional<LogLayout> log_layout(std::string_view comment);

/// Returns the layout that the words of a row without a header must have in nccl-tests 2; nothing
/// if they cannot be such a row.
std::optional<LogLayout> implied_layout(const std::vector<std::string_view>& words);

}  // namespace arlab::bench
