// Words of a line.
#pragma once

#include <string_view>
#include <vector>

namespace arlab::bench {

/// Returns the words of a line, which blanks separate: spaces, tabs, and what ends lines.
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace arlab::bench
