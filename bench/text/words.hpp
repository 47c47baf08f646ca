// Words of a line.
#pragma once

#include <string_view>
#include <vector>

namespace arlab::bench {

/// Returns the words of a line, which blanks separate: spaces, tabs, and what ends lines.
std::vector<std::string_view> words_of(std::string_view line);

/// Returns whether a text has these words, and not as a part of longer ones: "A40", not "A4000".
bool has_words(std::string_view text, std::string_view words);

}  // namespace arlab::bench
