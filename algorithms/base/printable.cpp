#include "algorithms/base/printable.hpp"

#include <cstdint>

namespace arlab {
namespace {

constexpr std::uint32_t kInvalid = 0xffffffff;

struct Range {
  std::uint32_t first, last;
};

// Unicode's categories Cc, Zl, Zp, and those of Cf that move, join or hide what stands beside them.
constexpr Range kHarmful[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},
                              {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                              {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                              {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool is_harmful(std::uint32_t code) {
  for (const Range& range : kHarmful)
    if (range.first <= code && code <= range.last) return true;
  return false;
}

struct Character {
  std::uint32_t code = kInvalid;
  std::size_t bytes = 1;
};

// The first character of a text that is not empty.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >> 11 == 0x1b;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

std::string hex(std::uint32_t value, std::size_t digits) {
  std::string text;
  for (; value > 0 || text.size() < digits; value >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[value & 0xf]);
  return text;
}

std::string escaped(const Character& character, char lead) {
  if (character.code == '\n') return "\\n";
  if (character.code == kInvalid) return "\\x" + hex(static_cast<unsigned char>(lead), 2);
  if (character.code < 0x80) return "\\x" + hex(character.code, 2);
  return "\\u{" + hex(character.code, 4) + '}';
}

template <class Keep>
std::string printed(std::string_view text, Keep keep) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = first_of(text.substr(at));
    const bool kept = next.code == '\n' && keep(text.substr(at + 1));
    if (kept || (next.code != kInvalid && !is_harmful(next.code)))
      out += text.substr(at, next.bytes);
    else
      out += escaped(next, text[at]);
    at += next.bytes;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return printed(text, [](std::string_view) { return false; });
}

std::string printable_message(std::string_view text) {
  return printed(text,
                 [](std::string_view rest) { return rest.empty() || rest.starts_with("  "); });
}

std::string printable_lines(std::string_view text) {
  return printed(text, [](std::string_view) { return true; });
}

}  // namespace arlab
