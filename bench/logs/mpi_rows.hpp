// Tables of OSU micro-benchmarks and of the Intel MPI Benchmarks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/logs/layout.hpp"
#include "bench/logs/log.hpp"
#include "bench/logs/preamble.hpp"

namespace arlab::bench {

/// A line of such a table. Both benchmarks print times with the same number of digits.
struct MpiRow {
  std::size_t line = 0;
  std::int64_t size = 0;
  double time_us = 0;  ///< of the slowest rank where the table has it, else the mean over the ranks
  int decimals = 0;
};

/// Returns the row, or why the line is refused.
std::variant<MpiRow, std::string> mpi_row(const std::vector<std::string_view>& words,
                                          const LogLayout& layout, std::size_t line);

/// Adds the table to the log, without rows that contradict the others; notes say what is left out.
void settle(std::size_t line, const LogLayout& layout, const LogPreamble& preamble,
            const std::vector<MpiRow>& rows, const LogHints& hints, Log& log);

}  // namespace arlab::bench
