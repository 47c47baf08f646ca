#include "algorithms/base/printable.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace std::string_literals;

TEST_CASE("text of people stays as it is") {
  for (const std::string text :
       {"", "ring", "4 KiB, 12 \u00b5s", "caf\u00e9 \u65e5\u672c \U0001f680", "a\\b|c"})
    CHECK(printable(text) == text);
}

TEST_CASE("what a terminal obeys is shown as an escape") {
  CHECK(printable("\x1b[31mred\x07\x7f\t\r\n\0x"s) == "\\x1b[31mred\\x07\\x7f\\x09\\x0d\\n\\x00x");
  CHECK(printable("\u009b31m\u0085") == "\\u{009b}31m\\u{0085}");  // of one character each
}

TEST_CASE("what reorders or hides characters is shown as an escape") {
  CHECK(printable("a\u202etxt.exe\u2066\u200b\ufeff\u2028\u00ad\U000e0041") ==
        "a\\u{202e}txt.exe\\u{2066}\\u{200b}\\u{feff}\\u{2028}\\u{00ad}\\u{e0041}");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one") {
  CHECK(printable("a\xff\xc3(") == "a\\xff\\xc3(");
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // half of a pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");  // cut
  CHECK(printable("\x9b") == "\\x9b");
}

TEST_CASE("newlines of messages and tables stay, those of names do not") {
  CHECK(printable_message("why:\n  this\nerror: forged\n") == "why:\n  this\\nerror: forged\n");
  CHECK(printable_lines("| a |\n\x1b\n") == "| a |\n\\x1b\n");
}
