#include "bench/text/table_view.hpp"

#include <sstream>

#include "algorithms/base/error.hpp"
#include "bench/text/table.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// Rows ring, tree, and chain, whose sizes and times are in several units.
Table times() {
  return {.columns = {{"algorithm"},
                      {"time"},
                      {"note", Detail::full},
                      {"busbw GB/s", Detail::some},
                      {"empty"}},
          .rows = {{{"ring", "1.5 ms", "a", "9.5", ""}, Emphasis::baseline},
                   {{"tree", "900 us", "b", "12", ""}, Emphasis::good, true},
                   {{"chain", "2 s", "c", "10", ""}}}};
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string first_cells(const std::string& text) {
  std::string all;
  for (const std::string& line : lines(text))
    if (line.starts_with("| ") && !line.starts_with("| -")) {
      const std::string cell = line.substr(2, line.find(" |", 2) - 2);
      all += cell.substr(0, cell.find(' ')) + " ";
    }
  return all;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines(text)) most = std::max(most, text_width(line));
  return most;
}

}  // namespace

TEST_CASE("table view: a pipe has all columns that are filled, and no colors") {
  const std::string text = show_table(times(), {}, {});
  CHECK(lines(text).front() == "| algorithm |   time | note | busbw GB/s |");
  CHECK(lines(text).size() == 5);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(show_table({}, {}, {}).empty());
}

TEST_CASE("table view: a terminal has the columns that answer, as many as fit") {
  const std::string wide = show_table(times(), {}, {80, false});
  CHECK(lines(wide).front() == "| algorithm |   time | busbw GB/s |");
  const std::string narrow = show_table(times(), {}, {30, false});
  CHECK(lines(narrow).front() == "| algorithm |   time |");
  CHECK(show_table(times(), {.columns = {"all"}}, {30, false}) == show_table(times(), {}, {}));
  Table long_text = times();
  long_text.rows[0].cells[0] = std::string(200, 'x') + "|";
  for (const int columns : {30, 40, 80})
    CHECK(widest(show_table(long_text, {}, {columns, false})) <= std::size_t(columns));
}

TEST_CASE("table view: columns are named by their first word, in any case, and in this order") {
  const std::string text = show_table(times(), {.columns = {"BUSBW", "algorithm"}}, {});
  CHECK(lines(text).front() == "| busbw GB/s | algorithm |");
  CHECK_THROWS_WITH(
      show_table(times(), {.columns = {"tim"}}, {}),
      Catch::Contains("--columns names 'tim'") && Catch::Contains("did you mean 'time'"));
}

TEST_CASE("table view: rows are sorted by values, not by texts, the best first") {
  CHECK(first_cells(show_table(times(), {.sort = "time"}, {})) == "algorithm tree ring chain ");
  CHECK(first_cells(show_table(times(), {.sort = "busbw"}, {})) == "algorithm tree chain ring ");
  CHECK(first_cells(show_table(times(), {.sort = "note"}, {})) == "algorithm ring tree chain ");
  CHECK_THROWS_AS(show_table(times(), {.sort = "speed"}, {}), Error);
  CHECK_THROWS_AS(check_columns({.sort = "speed"}, {"time", "busbw GB/s"}), Error);
  CHECK_THROWS_AS(check_columns({.columns = {"time", "speed"}}, {"time"}), Error);
  CHECK_NOTHROW(check_columns({.columns = {"all"}, .sort = "busbw"}, {"time", "busbw GB/s"}));
  CHECK(names_column({.sort = "Busbw"}, "busbw GB/s"));
  CHECK_FALSE(names_column({.columns = {"all"}}, "busbw GB/s"));
  Table odd = times();
  odd.rows[0].cells[1] = "nan", odd.rows[1].cells[1] = "";
  CHECK(first_cells(show_table(odd, {.sort = "time"}, {})) == "algorithm chain ring tree ");
  Table beside{.columns = {{"algorithm"}, {"vs library"}}, .rows = {}};
  for (const auto& [name, cell] : {std::pair{"a", "1.13x faster"},
                                   {"b", "1.17x slower"},
                                   {"c", "no difference"},
                                   {"d", "not enough runs"},
                                   {"e", "1.45x faster"},
                                   {"f", "12x slower"},
                                   {"g", "baseline"}})
    beside.rows.push_back({.cells = {name, cell}});
  CHECK(first_cells(show_table(beside, {.sort = "vs"}, {})) == "algorithm e a g c b f d ");
}

TEST_CASE("table view: rows that are left out are counted") {
  const std::string first = show_table(times(), {.most_rows = 1}, {});
  CHECK(first_cells(first) == "algorithm ring ");
  CHECK(first.ends_with("\n\n2 of 3 rows are not printed: --rows all prints them.\n"));
  Table table = times();
  while (table.rows.size() <= kMostRows) table.rows.push_back(table.rows.back());
  CHECK(lines(show_table(table, {}, {})).size() == 103);
  const Terminal terminal{80, false};
  const std::string summary = show_table(table, {}, terminal);
  CHECK(first_cells(summary) == "algorithm tree ");
  CHECK(
      summary.ends_with("100 of 101 rows, which hold nothing exceptional, are not printed: --rows "
                        "all prints them.\n"));
  CHECK(show_table(table, {.exceptions = true}, {}).find("100 of 101 rows") != std::string::npos);
  CHECK(lines(show_table(table, {.all_rows = true}, terminal)).size() == 103);
  table.rows.pop_back();
  CHECK(lines(show_table(table, {}, terminal)).size() == 102);
  for (TableRow& row : table.rows) row.is_exception = false;
  table.rows.push_back(table.rows.back());
  CHECK(show_table(table, {}, terminal).starts_with("101 of 101 rows"));
  CHECK(show_table(table, {.most_rows = 0}, {}).starts_with("101 of 101 rows"));
}

TEST_CASE("table view: a terminal marks the baseline, and what is better") {
  const std::vector<std::string> text = lines(show_table(times(), {}, {80, true}));
  CHECK(text[2].starts_with("\033[1m| ring"));
  CHECK(text[2].ends_with("\033[0m"));
  CHECK(text[3].starts_with("\033[32m| tree"));
  CHECK(text[4].starts_with("| chain"));
}

TEST_CASE("sentences are wrapped between words") {
  CHECK(wrapped("one two three", 0) == "one two three");
  CHECK(wrapped("one two three", 8) == "one two\n  three");
  CHECK(wrapped("incomprehensible word", 5) == "incomprehensible\n  word");
  CHECK(wrapped("", 5).empty());
}
