// The table of several launches: medians of their medians, and verdicts with the launch as the
// unit.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/table_view.hpp"

namespace arlab::bench {

/// One configuration in all launches.
struct LaunchRow {
  Json record;                     ///< of the last launch
  std::vector<double> medians_us;  ///< of each launch that measured it
  double within = 0;               ///< half width of a launch's 95% interval by its median, mean
  double p = 1;                    ///< against the fastest of its problem; corrected (Holm)
  Count wrong = 0;
  std::string verdict;
};

/// Joins the launches by configuration. Within each problem and mode, the row with the lowest
/// median of medians is compared with each other one by a rank-sum test of the launches' medians:
/// "slower", "tie", "not enough launches", and "fastest" if all others are slower.
std::vector<LaunchRow> rows_of_launches(const std::vector<std::vector<Json>>& launches);

/// Returns a record for each measured row, whose samples are the launches: their medians, and tests
/// against the fastest and the library's own collective.
std::vector<Json> records_of(const std::vector<LaunchRow>& rows);

/// Returns the file's records; where its runs are launches of one command on one host that measured
/// a configuration several times, those of records_of() instead.
std::vector<Json> over_launches(const Results& results);

/// Returns the table of the rows, in the order of the first launch. Columns of settings are those
/// that differ, or that the view names.
Table table_of_launches(const std::vector<LaunchRow>& rows, const TableView& view = {});

}  // namespace arlab::bench
