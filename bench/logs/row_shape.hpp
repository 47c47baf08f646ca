// What looks like a row of a table, or like a part of one, and may not be passed over in silence.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "bench/logs/layout.hpp"

namespace arlab::bench {

/// Whether the last words are this many numbers.
bool ends_in_numbers(const std::vector<std::string_view>& words, std::size_t count);

/// Whether the last words are those of a row of OSU or IMB: a size, which may touch a prefix, and
/// numbers.
bool ends_like_row(const std::vector<std::string_view>& words, std::size_t columns);

/// Whether a size, a count, and a type of nccl-tests follow each other anywhere.
bool holds_row(const std::vector<std::string_view>& words);

/// Whether a line in a table is a row or a part of one, rather than a warning.
bool is_like_row(const std::vector<std::string_view>& words, LogTool tool);

}  // namespace arlab::bench
