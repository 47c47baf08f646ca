// The table of a sweep's records, for people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct Column {
  std::string header;
  std::function<std::string(const Record&)> cell;
};

/// The columns that tell something about records of this kind.
std::vector<Column> columns_of(const std::string& kind);

/// One table of records of one kind; columns that are empty in all rows are left out.
std::string table(const std::vector<Record>& records);

}  // namespace arlab::bench
