// The table of a sweep's records, as people read them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct Column {
  std::string header;
  std::function<std::string(const Record&)> cell;
  std::string usual{};  ///< the column is left out if all rows hold this
};

/// Returns the columns for records of this kind.
std::vector<Column> columns_of(std::string_view kind);

/// Returns a table of records of one kind, without the columns that are empty in all rows, or hold the
/// usual setting.
std::string table(const std::vector<Record>& records);

}  // namespace arlab::bench
