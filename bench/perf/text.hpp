// The text of nccl-tests 2.19, line by line. Many programs read it by position.
#pragma once

#include <string>
#include <vector>

#include "bench/perf/options.hpp"
#include "bench/perf/row.hpp"

namespace arlab::bench {

/// The lines before the table, up to the three that head it.
std::string perf_header(const PerfOptions& options, const std::vector<PerfDevice>& devices);

/// A line of the table. `stamp`: the time stamp, where one was asked for.
std::string perf_line(const PerfRow& row, bool checked, const std::string& stamp = "");

/// What a run ends with.
struct PerfSummary {
  int failed = 0;              ///< halves of rows with wrong elements
  double average_busbw = 0;    ///< plain mean over all halves of all rows
  double expected_busbw = -1;  ///< that NCCL_TESTS_MIN_BW demands nine tenths of; below 0: none
  bool too_slow() const { return expected_busbw >= 0 && average_busbw < 0.9 * expected_busbw; }
};

std::string perf_footer(const PerfOptions& options, const PerfSummary& summary);

/// Returns the number in at most `width` characters, with two digits after the point, one, or none.
std::string perf_number(double value, int width);

/// Returns the local time as nccl-tests writes it: "2026-11-22 09:00:00".
std::string perf_now();

}  // namespace arlab::bench
