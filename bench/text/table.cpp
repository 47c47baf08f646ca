#include "bench/text/table.hpp"

#include <algorithm>

#include "algorithms/base/printable.hpp"

namespace arlab::bench {
namespace {

std::string escaped(const std::string& text) {
  std::string line = text, out;
  std::replace(line.begin(), line.end(), '\n', ' ');
  for (const char c : printable(line)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// "12", "-1024", "1.5e-06", "12.5 us", "4 KiB", "24.7%".
bool is_number(const std::string& text) {
  std::string number = text.substr(0, text.find(' '));
  const std::string unit = text.substr(std::min(text.size(), number.size() + 1));
  if (number.ends_with('%')) number.pop_back();
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return number.find_first_of("0123456789") <= 1 &&
         number.find_first_not_of("0123456789.+-e") == std::string::npos && unit.size() <= 3 &&
         std::all_of(unit.begin(), unit.end(), letter);
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, text_width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  // Continuation bytes of UTF-8 have no width.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string markdown(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  const std::size_t columns = header.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> right(columns, true), filled(columns);
  const auto cell = [&](const std::vector<std::string>& row, std::size_t c) {
    return c < row.size() ? escaped(row[c]) : std::string();
  };
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = std::max<std::size_t>(3, text_width(escaped(header[c])));
    for (const auto& row : rows) {
      const std::string text = cell(row, c);
      widths[c] = std::max(widths[c], text_width(text));
      filled[c] = filled[c] || !text.empty();
      right[c] = right[c] && (text.empty() || is_number(text));
    }
    right[c] = right[c] && filled[c];
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    out += "|";
    for (std::size_t c = 0; c < columns; ++c)
      out += " " + padded(cell(row, c), widths[c], right[c]) + " |";
    out += "\n";
  };
  line(header);
  out += "|";
  for (std::size_t c = 0; c < columns; ++c)
    out += (right[c] ? " " + std::string(widths[c] - 1, '-') + ":"
                     : " " + std::string(widths[c], '-')) +
           " |";
  out += "\n";
  for (const auto& row : rows) line(row);
  return out;
}

std::string compact(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> kept;
  std::vector<std::vector<std::string>> kept_rows(rows.size());
  for (std::size_t c = 0; c < header.size(); ++c) {
    const auto filled = [c](const auto& row) { return c < row.size() && !row[c].empty(); };
    if (std::none_of(rows.begin(), rows.end(), filled)) continue;
    kept.push_back(header[c]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      kept_rows[i].push_back(c < rows[i].size() ? rows[i][c] : "");
  }
  return markdown(kept, kept_rows);
}

}  // namespace arlab::bench
