// TableView: which columns and rows of a table are printed, and in which order.
//
// In a pipe or a file, a table has all its columns and rows, and no colors. On a terminal it has
// the columns that answer the command's question, as many as fit, and of many rows only exceptions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/text/terminal.hpp"

namespace arlab::bench {

/// What a row is, for its color on a terminal.
enum class Emphasis { none, baseline, good, bad };

/// When a terminal leaves a column out: never, if it does not fit, or unless it is asked for.
enum class Detail { none, some, full };

struct TableRow {
  std::vector<std::string> cells;
  Emphasis emphasis = Emphasis::none;
  bool is_exception = false;  ///< also printed where a long table is only summarized
};

struct Table {
  struct Column {
    std::string name;
    Detail detail = Detail::none;
  };
  std::vector<Column> columns;
  std::vector<TableRow> rows;
};

struct TableView {
  std::vector<std::string> columns{};  ///< their names or first words; empty: the usual; or "all"
  std::string sort{};                  ///< a column: the best first
  std::optional<std::size_t> most_rows{};     ///< the first ones
  bool all_rows = false, exceptions = false;  ///< neither: all, unless a terminal has a long table
};

/// Returns whether the view sorts by this column, or names it to be printed.
bool names_column(const TableView& view, const std::string& column);

/// Throws Error(usage) if the view names a column that none of these is.
void check_columns(const TableView& view, const std::vector<std::string>& columns);

/// On a terminal, a table of more rows is summarized by its exceptions, unless rows are asked for.
inline constexpr std::size_t kMostRows = 100;

/// Returns Markdown, and below it how many rows are left out. Columns that are empty in all rows
/// are left out. Throws Error(usage) that names a column that the table does not have.
std::string show_table(Table table, const TableView& view, const Terminal& terminal);

}  // namespace arlab::bench
