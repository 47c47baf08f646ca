// Tables for people: Markdown, so that they can be pasted, and aligned, so that they can be read as
// they are.
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

/// Markdown with every column as wide as its widest cell. Columns whose cells are numbers, with
/// or without a unit, align right. Rows may be shorter than the header. '|' in a cell is escaped.
std::string markdown(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows);

/// The same without the columns that are empty in all rows.
std::string compact(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows);

}  // namespace arlab::bench
