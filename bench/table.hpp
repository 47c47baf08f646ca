// Tables for people: Markdown, so that they can be pasted, and aligned, so that they can be read as
// they are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/record.hpp"

namespace arlab {

/// Markdown with every column as wide as its widest cell. Columns whose cells are numbers align
/// right. Rows may be shorter than the header. '|' in a cell is escaped.
std::string markdown(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows);

struct Column {
  std::string header;
  std::function<std::string(const Record&)> cell;
};

/// The columns that tell something about records of this kind.
std::vector<Column> columns_of(const std::string& kind);

/// One table; columns that are empty in all rows are left out.
std::string table(const std::vector<Record>& records);

/// Comma-separated values of the same records: JSON's keys, nested ones joined by a dot. Quoted as
/// RFC 4180 says.
std::string csv_header(const Json& record);
std::string csv_row(const Json& record);

}  // namespace arlab
