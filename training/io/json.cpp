#include "training/io/json.hpp"

#include <nlohmann/json.hpp>

#include "algorithms/base/printable.hpp"

namespace arlab::training {
namespace {

// The nesting depth of a text, if it is JSON. The parser's own callback for that takes quadratic
// time.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  constexpr int kMaxDepth = 64;
  if (depth_of(text) > kMaxDepth) return std::nullopt;
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

std::string json_text(const Json& json, int indent) {
  const auto text = [&](bool ascii) {
    return json.dump(indent, ' ', ascii, Json::error_handler_t::replace);
  };
  std::string plain = text(false);
  return printable_lines(plain) == plain ? plain : text(true);
}

}  // namespace arlab::training
