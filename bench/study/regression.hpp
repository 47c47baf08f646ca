// Regressions: compares the times of two result files, configuration by configuration.
//
// Records need no samples: the order statistics that every record has (n, the median, and its 95%
// interval) give a standard error of the logarithm of the median. So files of any age compare.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/text/table_view.hpp"

namespace arlab::bench {

/// The logarithm of a median time, and its standard error; absent of fewer than six runs.
struct LogMedian {
  double value = 0;
  std::optional<double> error = {};
  double freedom = std::numeric_limits<double>::infinity();  ///< degrees, of the error
};

/// What a file holds of one configuration.
struct MeasuredSide {
  std::vector<LogMedian> launches;
  Json last;        ///< its last record
  Count wrong = 0;  ///< elements
  /// The median of the launches, with the spread between them.
  LogMedian median() const;
};

/// Returns the records that have times, by identity.
std::map<std::string, MeasuredSide> sides_of(const std::vector<Json>& records);

/// Whether a record is of a log of another benchmark, which has no spread.
bool is_of_log(const Json& record);

struct TimeComparison {
  enum class Verdict { slower, faster, same, unsure, wrong };

  Json record;  ///< of the new file
  double old_us = 0, new_us = 0;
  double ratio = 1;          ///< new / old: the effect size
  double low = 1, high = 1;  ///< 95% confidence interval of the ratio
  std::size_t old_launches = 1, new_launches = 1;
  bool of_logs = false;  ///< one mean on each side, from logs: the ratio alone decides
  double p = 1;          ///< corrected for the number of comparisons (Holm)
  Verdict verdict = Verdict::same;
};

struct TimeComparisons {
  std::vector<TimeComparison> all;         ///< the largest ratio first
  std::size_t only_old = 0, only_new = 0;  ///< configurations that one file lacks
  bool failed() const;                     ///< whether any is slower or wrong
};

/// Joins the records by identity. Several records of one configuration, such as of several
/// launches, count as one, whose error is that of the spread between them; p and the interval are
/// those of Welch's t test of the logarithms. A configuration is slower or
/// faster if its ratio is beyond 1 + `threshold`, or below its inverse, and p is below 0.05; unsure
/// if either side has fewer than 6 runs; wrong if the new one has wrong elements. Logs of other
/// benchmarks hold means without their spread: there the ratio decides alone. Simulated times are
/// exact.
TimeComparisons compare_records(const std::vector<Json>& old_records,
                                const std::vector<Json>& new_records, double threshold);

/// Returns "slower", "not enough runs", ....
std::string name(TimeComparison::Verdict verdict);

/// Returns the settings that tell configurations apart, without algorithm, ranks, and elements:
/// columns of a table of comparisons where they differ.
std::vector<const char*> compared_settings();
/// Returns the first cells of a configuration's row: its algorithm, ranks, and size.
std::vector<std::string> configuration_cells(const Json& record);
/// Returns the row, in the color of its verdict, and an exception if that is slower, faster, or
/// wrong.
TableRow verdict_row(std::vector<std::string> cells, TimeComparison::Verdict verdict);

/// Returns the comparisons as a table, without settings that are the same in all rows. Exceptions
/// are those that are slower, faster, or wrong.
Table table(const TimeComparisons& regression);

/// Returns what became slower or faster, most first, and the command that measures it again.
std::vector<std::string> sentences(const TimeComparisons& regression, double threshold);

}  // namespace arlab::bench
