#include "bench/text/table_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  return names;
}

std::size_t find_column(const std::vector<std::string>& names, const std::string& wanted,
                        const char* option) {
  const std::string name = lower(wanted);
  for (const auto& form : {+[](const std::string& text) { return text; }, +first_word})
    for (std::size_t c = 0; c < names.size(); ++c)
      if (lower(form(names[c])) == name) return c;
  fail(Blame::usage,
       fmt::format("{} names '{}', which is not a column{}: give all, or some of {}", option,
                   wanted, did_you_mean(wanted, names_of(names)), fmt::join(names, ", ")));
}

// The number that a cell begins with, in base units: "4 KiB", "12.5 us", "87%". Of a comparison,
// the time relative to the other one: "1.25x faster" is 0.8.
std::optional<double> number_of(const std::string& cell) {
  if (cell == "baseline" || cell == "no difference") return 1;
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str() || !std::isfinite(number)) return std::nullopt;
  if (std::string_view(end) == "x faster") return 1 / number;
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {" ns", 1e-9},          {" us", 1e-6},         {" ms", 1e-3},
      {" min", 60},           {" h", 3600},          {" KiB", 1024},
      {" MiB", 1024. * 1024}, {" GiB", 1073741824.}, {" TiB", 1099511627776.}};
  for (const auto& [unit, factor] : kUnits)
    if (std::string_view(end).starts_with(unit)) return number * factor;
  return number;
}

// Rates, and parts of what is possible: the larger, the better.
bool larger_is_better(const std::string& column) {
  constexpr std::string_view kRates[] = {"GB/s",       "/s",         "speed-up",
                                         "efficiency", "of optimum", "of copy limit"};
  return std::any_of(std::begin(kRates), std::end(kRates),
                     [&](std::string_view rate) { return column.find(rate) != std::string::npos; });
}

void sort_rows(Table& table, const std::string& by) {
  if (by.empty()) return;
  const std::size_t at = find_column(column_names(table), by, "--sort");
  const double sign = larger_is_better(table.columns[at].name) ? -1 : 1;
  const auto key = [&](const TableRow& row) {
    const std::string& cell = row.cells[at];
    const std::optional<double> number = number_of(cell);
    // Numbers, then texts, then nothing.
    return std::tuple(number ? 0 : cell.empty() ? 2 : 1, sign * number.value_or(0), cell);
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const TableRow& a, const TableRow& b) { return key(a) < key(b); });
}

// Removes the rows that are not printed. Returns what is said about them.
std::string choose_rows(Table& table, const TableView& view, const Terminal& terminal) {
  const std::size_t all = table.rows.size();
  const bool is_long = terminal.columns > 0 && all > kMostRows;
  const bool summarized = view.exceptions || (is_long && !view.all_rows && !view.most_rows);
  if (summarized) std::erase_if(table.rows, [](const TableRow& row) { return !row.is_exception; });
  if (view.most_rows && all > *view.most_rows) table.rows.resize(*view.most_rows);
  if (table.rows.size() == all) return "";
  return fmt::format("{} of {} rows{} are not printed: --rows all prints them.\n",
                     with_commas(static_cast<std::int64_t>(all - table.rows.size())),
                     with_commas(static_cast<std::int64_t>(all)),
                     summarized ? ", which hold nothing exceptional," : "");
}

void keep_columns(Table& table, const std::vector<std::size_t>& kept) {
  std::vector<Table::Column> columns;
  for (const std::size_t c : kept) columns.push_back(table.columns[c]);
  table.columns = std::move(columns);
  for (TableRow& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::size_t c : kept) cells.push_back(row.cells[c]);
    row.cells = std::move(cells);
  }
}

std::size_t column_width(const Table& table, std::size_t c) {
  std::size_t width = std::max<std::size_t>(3, text_width(table.columns[c].name));
  for (const TableRow& row : table.rows) width = std::max(width, text_width(row.cells[c]));
  return width;
}

// Of the whole line: "| cell | cell |".
std::size_t line_width(const Table& table, const std::vector<std::size_t>& columns) {
  return std::accumulate(
      columns.begin(), columns.end(), std::size_t{1},
      [&](std::size_t sum, std::size_t c) { return sum + column_width(table, c) + 3; });
}

void shorten(std::string& cell, std::size_t to) {
  if (text_width(cell) <= to) return;
  std::string kept;
  std::size_t width = 0;
  for (const char c : cell) {
    if ((c & 0xC0) != 0x80 && ++width > to - 3) break;
    kept += c;
  }
  cell = kept + "...";
}

// Leaves out columns from the right, then shortens the widest, until a line fits.
void fit(Table& table, std::size_t columns) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].detail != Detail::full) kept.push_back(c);
  for (std::size_t i = kept.size(); i-- > 0 && line_width(table, kept) > columns;)
    if (table.columns[kept[i]].detail == Detail::some)
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
  keep_columns(table, kept);
  constexpr std::size_t kNarrowest = 10;
  std::vector<std::size_t> all(table.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t line = 0; !all.empty() && (line = line_width(table, all)) > columns;) {
    const std::size_t widest = *std::max_element(all.begin(), all.end(), [&](auto a, auto b) {
      return column_width(table, a) < column_width(table, b);
    });
    const std::size_t width = column_width(table, widest);
    const std::size_t to = std::max(kNarrowest, width - std::min(width, line - columns));
    if (to >= width) return;
    shorten(table.columns[widest].name, to);
    for (TableRow& row : table.rows) shorten(row.cells[widest], to);
  }
}

bool is_filled(const Table& table, std::size_t c) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [c](const TableRow& row) { return !row.cells[c].empty(); });
}

void choose_columns(Table& table, const TableView& view, const Terminal& terminal) {
  const bool all = view.columns == std::vector<std::string>{"all"};
  std::vector<std::size_t> kept;
  if (view.columns.empty() || all) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (is_filled(table, c)) kept.push_back(c);
  } else {
    for (const std::string& name : view.columns)
      kept.push_back(find_column(column_names(table), name, "--columns"));
  }
  keep_columns(table, kept);
  if (view.columns.empty() && terminal.columns > 0)
    fit(table, static_cast<std::size_t>(terminal.columns));
}

// Colors whole lines, so that the widths of cells stay.
std::string colored(const std::string& markdown, const std::vector<TableRow>& rows) {
  constexpr std::string_view kCodes[] = {"", "\033[1m", "\033[32m", "\033[31m"}, kEnd = "\033[0m";
  std::string out;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < markdown.size(); ++line) {
    const std::size_t end = markdown.find('\n', begin);
    const std::string_view text = std::string_view(markdown).substr(begin, end - begin);
    const std::string_view code =
        line < 2 ? "" : kCodes[static_cast<std::size_t>(rows[line - 2].emphasis)];
    out += fmt::format("{}{}{}\n", code, text, code.empty() ? "" : kEnd);
    begin = end + 1;
  }
  return out;
}

}  // namespace

bool names_column(const TableView& view, const std::string& column) {
  const auto is_it = [&](const std::string& name) {
    return lower(name) == lower(column) || lower(name) == lower(first_word(column));
  };
  return is_it(view.sort) || std::ranges::any_of(view.columns, is_it);
}

void check_columns(const TableView& view, const std::vector<std::string>& columns) {
  if (!view.sort.empty()) find_column(columns, view.sort, "--sort");
  if (view.columns == std::vector<std::string>{"all"}) return;
  for (const std::string& name : view.columns) find_column(columns, name, "--columns");
}

std::string show_table(Table table, const TableView& view, const Terminal& terminal) {
  for (TableRow& row : table.rows) row.cells.resize(table.columns.size());
  sort_rows(table, view.sort);
  const std::string left_out = choose_rows(table, view, terminal);
  choose_columns(table, view, terminal);
  if (table.rows.empty() || table.columns.empty()) return left_out;
  std::vector<std::string> header;
  for (const Table::Column& column : table.columns) header.push_back(column.name);
  std::vector<std::vector<std::string>> cells;
  for (const TableRow& row : table.rows) cells.push_back(row.cells);
  const std::string text = markdown(header, cells);
  return (terminal.colors ? colored(text, table.rows) : text) +
         (left_out.empty() ? "" : "\n" + left_out);
}

}  // namespace arlab::bench
