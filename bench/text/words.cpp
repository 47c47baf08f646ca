#include "bench/text/words.hpp"

#include <algorithm>
#include <cctype>

namespace arlab::bench {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

bool has_words(std::string_view text, std::string_view words) {
  const auto ends = [&](std::size_t at) {
    return at >= text.size() || std::isalnum(static_cast<unsigned char>(text[at])) == 0;
  };
  for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1))
    if ((at == 0 || ends(at - 1)) && ends(at + words.size())) return true;
  return false;
}

}  // namespace arlab::bench
