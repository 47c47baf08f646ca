// Rejects input that Boost's readers misread or that exhausts their stack.
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::simulator {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr int kMaxDepth = 100;  // nesting; Boost's readers recurse

// Boost's readers recurse to the nesting depth of the file.
void check_depth(std::string_view text, TopologyFormat format, const std::string& name) {
  int depth = 0, deepest = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (format == TopologyFormat::dot) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    } else if (c == '<' && i + 1 < text.size()) {
      const bool closes = text[i + 1] == '/';
      const std::size_t end = text.find('>', i);
      const bool alone = end != std::string_view::npos && text[end - 1] == '/';
      const bool other = text[i + 1] == '?' || text[i + 1] == '!';
      depth += other || (alone && !closes) ? 0 : closes ? -1 : 1;
    }
    deepest = std::max(deepest, depth);
  }
  if (deepest > kMaxDepth)
    fail(Blame::usage, name + " nests " + std::to_string(deepest) + " levels deep: nest at most " +
                           std::to_string(kMaxDepth));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// DOT reads an unquoted 100Gbps or 1e9 as a number followed by a word: a silent error of many
// orders of magnitude.
void check_numbers(std::string_view text, const std::string& name) {
  const auto past = [&](std::size_t from, std::string_view end) {
    const std::size_t at = text.find(end, from);
    return at == std::string_view::npos ? text.size() : at + end.size();
  };
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      ++i;
    } else if (text.substr(i).starts_with("//") || text[i] == '#') {
      i = past(i, "\n");
    } else if (text.substr(i).starts_with("/*")) {
      i = past(i + 2, "*/");
    } else if (is_letter(text[i])) {
      while (is_letter(at(i)) || is_digit(at(i))) ++i;
    } else if (is_digit(text[i])) {
      const std::size_t begin = i;
      while (is_digit(at(i)) || at(i) == '.') ++i;
      if (!is_letter(at(i))) continue;
      while (is_letter(at(i)) || is_digit(at(i)) || at(i) == '/') ++i;
      const std::string word(text.substr(begin, i - begin));
      fail(Blame::usage, name + ": '" + word +
                             "' has no quotes, so DOT reads a number and a word: " + "write \"" +
                             word + "\"");
    } else {
      ++i;
    }
  }
}

}  // namespace

void check_text(std::string_view text, const std::string& name, TopologyFormat format) {
  if (text.size() > kMaxBytes)
    fail(Blame::usage, name + " has over 64 MiB: give a smaller topology");
  check_depth(text, format, name);
  if (format == TopologyFormat::dot) check_numbers(text, name);
}

}  // namespace arlab::simulator
