#include "bench/text/table.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("columns are as wide as their widest cell, numbers align right") {
  CHECK(markdown({"name", "n"}, {{"ring", "1"}, {"butterfly", "10000"}}) ==
        "| name      |     n |\n"
        "| --------- | ----: |\n"
        "| ring      |     1 |\n"
        "| butterfly | 10000 |\n");
}

TEST_CASE("numbers with units, signs and exponents align right, text does not") {
  const auto aligns_right = [](const std::string& cell) {
    return markdown({"x"}, {{cell}}).find(":") != std::string::npos;
  };
  for (const char* number : {"0", "12", "-3", "+5", "1048576", "1.5e-06", "12.5 us", "4 KiB"}) {
    INFO(number);
    CHECK(aligns_right(number));
  }
  for (const char* text :
       {"", "ring", "c0", "3 to 4 us", "12 parsecs", "4 of 5", "e", "((0+1)+2)"}) {
    INFO(text);
    CHECK_FALSE(aligns_right(text));
  }
}

TEST_CASE("a column of numbers may have empty cells, but not only empty ones") {
  CHECK(markdown({"n", "note"}, {{"1", ""}, {"", ""}}) ==
        "|   n | note |\n"
        "| --: | ---- |\n"
        "|   1 |      |\n"
        "|     |      |\n");
}

TEST_CASE("fills short rows, and prints the header without rows") {
  CHECK(markdown({"ab", "cd"}, {{"x"}}) ==
        "| ab  | cd  |\n"
        "| --- | --- |\n"
        "| x   |     |\n");
  CHECK(markdown({"ab"}, {}) == "| ab  |\n| --- |\n");
}

TEST_CASE("escapes bars and line breaks in cells") {
  CHECK(markdown({"a|b"}, {{"c|d\ne"}}) ==
        "| a\\|b   |\n"
        "| ------ |\n"
        "| c\\|d e |\n");
}

TEST_CASE("measures width in characters, not bytes") {
  CHECK(markdown({"name", "n"}, {{"\xC3\xA9\xC3\xA9", "1"}, {"abcdef", "2"}}) ==
        "| name   |   n |\n"
        "| ------ | --: |\n"
        "| \xC3\xA9\xC3\xA9     |   1 |\n"
        "| abcdef |   2 |\n");
}

TEST_CASE("leaves out columns that are empty in all rows") {
  CHECK(compact({"a", "b", "c"}, {{"1", "", "x"}, {"2", ""}}) ==
        "|   a | c   |\n"
        "| --: | --- |\n"
        "|   1 | x   |\n"
        "|   2 |     |\n");
}
