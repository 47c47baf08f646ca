#include "simulator/topologies/import/dot_words.hpp"

#include <algorithm>

#include "algorithms/base/text.hpp"

namespace arlab::simulator {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {  // all bytes of a UTF-8 character beyond ASCII are
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool DotWord::is_keyword(std::string_view word) const {
  return kind == Kind::plain && std::equal(text.begin(), text.end(), word.begin(), word.end(),
                                           [](char a, char b) { return lower(a) == b; });
}

void DotWords::wrong(const std::string& what) const {
  fail(Blame::usage, concat(name_, " is not a readable DOT file: line ", line_, ": ", what));
}

void DotWords::expected(std::string_view what) const {
  const std::string shown = word_.text.substr(0, 40) + (word_.text.size() > 40 ? "..." : "");
  wrong(concat(word_.kind == DotWord::Kind::end ? "the end of the file" : "'" + shown + "'",
               " instead of ", what));
}

void DotWords::skip_space() {
  const auto drop = [&](std::size_t count) {
    for (const char c : rest_.substr(0, count))
      if (c == '\n') ++line_, line_starts_ = true;
    rest_.remove_prefix(std::min(count, rest_.size()));
  };
  while (!rest_.empty()) {
    if (is_space(rest_[0])) {
      drop(1);
    } else if (rest_.starts_with("//") || (rest_[0] == '#' && line_starts_)) {
      drop(rest_.find('\n'));
    } else if (rest_.starts_with("/*")) {
      const std::size_t end = rest_.find("*/", 2);
      if (end == rest_.npos) wrong("a comment that does not end: write '*/'");
      drop(end + 2);
    } else {
      return;
    }
  }
}

void DotWords::advance() {
  skip_space();
  line_starts_ = false;
  if (rest_.empty()) {
    word_ = {};
    return;
  }
  const char c = rest_[0];
  const auto cut = [&](std::size_t size) {
    const std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  };
  if (is_letter(c)) {
    std::size_t size = 1;
    while (size < rest_.size() && (is_letter(rest_[size]) || is_digit(rest_[size]))) ++size;
    word_ = {DotWord::Kind::plain, cut(size)};
  } else if (rest_.starts_with("--") || rest_.starts_with("->")) {
    word_ = {DotWord::Kind::mark, cut(2)};
  } else if (is_digit(c) || c == '.' || c == '-') {
    word_ = {DotWord::Kind::value, number()};
  } else if (c == '"') {
    word_ = {DotWord::Kind::value, quoted()};
  } else if (c == '<') {
    word_ = {DotWord::Kind::value, html()};
  } else if (std::string_view("{}[];,:=").find(c) != std::string_view::npos) {
    word_ = {DotWord::Kind::mark, cut(1)};
  } else {
    wrong(concat("'", cut(1), "' is not in quotes: write names and values with it in quotes"));
  }
}

// "a \"b\"" and "a" + "b"; a backslash at the end of a line continues it.
std::string DotWords::quoted() {
  std::string text;
  do {
    rest_.remove_prefix(1);
    for (;; rest_.remove_prefix(1)) {
      if (rest_.empty()) wrong("a text in quotes that does not end: write '\"'");
      if (rest_[0] == '"') break;
      if (rest_[0] == '\n') ++line_;
      if (rest_.starts_with("\\\"")) rest_.remove_prefix(1);
      if (rest_.starts_with("\\\n")) {
        rest_.remove_prefix(1);
        ++line_;
        continue;
      }
      text += rest_[0];
    }
    rest_.remove_prefix(1);
    skip_space();
    if (!rest_.starts_with('+')) break;
    rest_.remove_prefix(1);
    skip_space();
    if (!rest_.starts_with('"')) wrong("'+' joins texts in quotes: write another one after it");
  } while (true);
  return text;
}

std::string DotWords::html() {
  std::size_t size = 0;
  int depth = 0;
  do {
    if (size == rest_.size()) wrong("HTML in angle brackets that does not end: write '>'");
    depth += rest_[size] == '<' ? 1 : rest_[size] == '>' ? -1 : 0;
    line_ += rest_[size] == '\n' ? 1 : 0;
    ++size;
  } while (depth > 0);
  const std::string text(rest_.substr(1, size - 2));
  rest_.remove_prefix(size);
  return text;
}

// Graphviz reads an unquoted 100Gbps or 1e9 as a number followed by a word: an error of many orders
// of magnitude.
std::string DotWords::number() {
  std::size_t size = rest_[0] == '-' ? 1 : 0;
  const std::size_t begin = size;
  int points = 0;
  while (size < rest_.size() && (is_digit(rest_[size]) || (rest_[size] == '.' && points++ == 0)))
    ++size;
  std::size_t end = size;
  while (end < rest_.size() &&
         (is_letter(rest_[end]) || is_digit(rest_[end]) || rest_[end] == '.' || rest_[end] == '/'))
    ++end;
  const std::string whole(rest_.substr(0, end));
  if (end > size)
    fail(Blame::usage,
         concat(name_, ": '", whole, "' has no quotes, so DOT reads a number and a word: write \"",
                whole, "\""));
  if (size - begin == static_cast<std::size_t>(std::min(points, 1)))
    wrong(concat("'", rest_.substr(0, 1), "' is neither an edge nor a number"));
  rest_.remove_prefix(size);
  return whole;
}

}  // namespace arlab::simulator
