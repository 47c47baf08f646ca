#include "bench/formats/topologies/network_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::bench {
namespace {

// Without the sequences that color and underline: ESC [ numbers letter.
std::string without_colors(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') continue;
    if (text.substr(i).starts_with("\x1b[")) {
      const std::size_t end = text.find_first_not_of("0123456789;", i + 2);
      i = std::min(end, text.size());
      continue;
    }
    plain += text[i];
  }
  return plain;
}

}  // namespace

NetworkText::NetworkText(std::string_view text, std::string name) : name_(std::move(name)) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text_ = without_colors(text);
}

std::vector<std::string_view> NetworkText::lines() const { return lines_of(text_); }

std::size_t NetworkText::line_of(std::ptrdiff_t offset) const {
  const auto end = std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_));
  return 1 + static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + end, '\n'));
}

void NetworkText::wrong(std::size_t line, const std::string& what) const {
  fail(Blame::usage, fmt::format("{}:{}: {}", name_, line, what));
}

long NetworkText::whole(std::string_view word, std::size_t line, std::string_view what, long least,
                        long most) const {
  const auto value = read_number<long>(word);
  if (!value || *value < least || *value > most)
    wrong(line, fmt::format("{} is {}: write a whole number from {} to {}", what, in_quotes(word),
                            least, most));
  return *value;
}

std::string in_quotes(std::string_view word) {
  return fmt::format("'{}{}'", word.substr(0, 40), word.size() > 40 ? "..." : "");
}

}  // namespace arlab::bench
