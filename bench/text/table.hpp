// Tables: Markdown that is aligned, so that it reads well in a terminal and can be pasted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

/// Returns the number of characters, not of bytes.
std::size_t text_width(std::string_view text);

/// Returns Markdown with every column as wide as its widest cell. Columns whose cells are numbers,
/// with or without a unit, align right. Rows may be shorter than the header. In a cell, '|' and
/// what a terminal would obey are escaped (printable.hpp).
std::string markdown(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows);

/// Returns the same without the columns that are empty in all rows.
std::string compact(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows);

}  // namespace arlab::bench
