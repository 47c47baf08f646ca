// The table of a sweep's records, as people read them.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/text/table_view.hpp"

namespace arlab::bench {

struct Column {
  std::string header;
  std::function<std::string(const Record&)> cell;
  std::string usual{};  ///< the column is left out if all rows hold this
  Detail detail = Detail::none;
  std::string alone{};  ///< the header where no record has a formula to be compared with
};

/// Returns the columns for records of this kind.
std::vector<Column> columns_of(std::string_view kind);

/// Returns a table of records of one kind, without the columns that hold the usual setting in all
/// rows, unless the view names them. Exceptions are wrong results.
Table table_of(const std::vector<Record>& records, const TableView& view = {});

/// Returns all of it as Markdown.
std::string table(const std::vector<Record>& records);

/// Returns a value of a record as the text of a cell: empty for null.
std::string cell_text(const Json& value);

/// Returns those of `keys` whose values differ between the members `record` of `rows`.
template <class Rows>
std::vector<const char*> differing_keys(std::span<const char* const> keys, const Rows& rows) {
  std::vector<const char*> all;
  for (const char* key : keys)
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
          return row.record.value(key, Json()) != rows.front().record.value(key, Json());
        }))
      all.push_back(key);
  return all;
}

}  // namespace arlab::bench
