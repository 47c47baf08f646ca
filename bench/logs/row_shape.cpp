#include "bench/logs/row_shape.hpp"

#include <algorithm>
#include <cstddef>

#include "bench/logs/nccl_names.hpp"
#include "bench/logs/words.hpp"

namespace arlab::bench {
namespace {

bool is_number(std::string_view word) { return word == "N/A" || printed_number(word).has_value(); }

}  // namespace

bool ends_in_numbers(const std::vector<std::string_view>& words, std::size_t count) {
  return words.size() >= count &&
         std::all_of(words.end() - static_cast<std::ptrdiff_t>(count), words.end(), is_number);
}

bool ends_like_row(const std::vector<std::string_view>& words, std::size_t columns) {
  if (words.size() < columns || columns < 2 || !ends_in_numbers(words, columns - 1)) return false;
  const char last = words[words.size() - columns].back();
  return last >= '0' && last <= '9' &&
         (columns > 2 || words.back().find('.') != std::string_view::npos);
}

bool holds_row(const std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i)
    if (whole_number(words[i]) && whole_number(words[i + 1]) && nccl_type(words[i + 2]))
      return true;
  return false;
}

bool is_like_row(const std::vector<std::string_view>& words, LogTool tool) {
  if (tool != LogTool::nccl_tests)
    return whole_number(words[0]).has_value() || ends_in_numbers(words, words.size());
  const auto numbers = std::count_if(words.begin(), words.end(), is_number);
  const bool all = static_cast<std::size_t>(numbers) == words.size();
  const bool begins = words.size() > 1 && whole_number(words[0]) && whole_number(words[1]);
  const bool typed = numbers >= 6 &&
                     std::any_of(words.begin(), words.end(),
                                 [](std::string_view word) { return nccl_type(word).has_value(); });
  return all || begins || typed || holds_row(words);
}

}  // namespace arlab::bench
