#include "bench/table.hpp"

#include "bench/output.hpp"
#include "tests/catch.hpp"

using namespace arlab;

TEST_CASE("columns are as wide as their widest cell, numbers align right") {
  CHECK(markdown({"name", "n"}, {{"ring", "1"}, {"butterfly", "1'000"}}) ==
        "| name      |     n |\n"
        "| --------- | ----: |\n"
        "| ring      |     1 |\n"
        "| butterfly | 1'000 |\n");
}

TEST_CASE("numbers with units, signs and exponents align right, text does not") {
  const auto aligns_right = [](const std::string& cell) {
    return markdown({"x"}, {{cell}}).find(":") != std::string::npos;
  };
  for (const char* number : {"0", "12", "-3", "+5", "1'048'576", "1.5e-06", "12.5 us", "4 KiB"}) {
    INFO(number);
    CHECK(aligns_right(number));
  }
  for (const char* text :
       {"", "ring", "c0", "3 to 4 us", "12 parsecs", "4 of 5", "e", "((0+1)+2)"}) {
    INFO(text);
    CHECK_FALSE(aligns_right(text));
  }
}

TEST_CASE("an empty cell spoils no column of numbers, and only a filled one makes it") {
  CHECK(markdown({"n", "note"}, {{"1", ""}, {"", ""}}) ==
        "|   n | note |\n"
        "| --: | ---- |\n"
        "|   1 |      |\n"
        "|     |      |\n");
}

TEST_CASE("short rows are filled up, and no rows leave a header") {
  CHECK(markdown({"ab", "cd"}, {{"x"}}) ==
        "| ab  | cd  |\n"
        "| --- | --- |\n"
        "| x   |     |\n");
  CHECK(markdown({"ab"}, {}) == "| ab  |\n| --- |\n");
}

TEST_CASE("a bar or a line break in a cell does not break the table") {
  CHECK(markdown({"a|b"}, {{"c|d\ne"}}) ==
        "| a\\|b   |\n"
        "| ------ |\n"
        "| c\\|d e |\n");
}

TEST_CASE("characters count, not bytes") {
  CHECK(markdown({"name", "n"}, {{"\xC3\xA9\xC3\xA9", "1"}, {"abcdef", "2"}}) ==
        "| name   |   n |\n"
        "| ------ | --: |\n"
        "| \xC3\xA9\xC3\xA9     |   1 |\n"
        "| abcdef |   2 |\n");
}

TEST_CASE("columns that are empty in all rows are left out") {
  CHECK(compact({"a", "b", "c"}, {{"1", "", "x"}, {"2", ""}}) ==
        "|   a | c   |\n"
        "| --: | --- |\n"
        "|   1 | x   |\n"
        "|   2 |     |\n");
  CHECK(table({}).empty());
}

TEST_CASE("each kind of record has its own columns") {
  const auto header = [](const std::string& kind) {
    std::string all;
    for (const Column& column : columns_of(kind)) all += column.header + ";";
    return all;
  };
  CHECK(header("count").find("messages claimed;counted;difference;") != std::string::npos);
  CHECK(header("verify").find("proof;") != std::string::npos);
  CHECK(header("simulate").find("topology;time;hottest link;busbw GB/s;") != std::string::npos);
  CHECK(header("run").find("95% CI of the median;p99;n;wrong;") != std::string::npos);
  for (const char* kind : {"count", "verify", "simulate", "run"})
    CHECK(header(kind).find("skipped;") != std::string::npos);
}

TEST_CASE("a difference is signed, a wrong proof loud") {
  Record r;
  r.kind = "count";
  r.algorithm = "ring";
  r.claimed = Cost{10, 20, 30};
  r.sent = Cost{12, 19, 30};
  CHECK(table({r}).find("|         +2 |") != std::string::npos);
  CHECK(table({r}).find("|         -1 |") != std::string::npos);
  CHECK(table({r}).find("|          0 |") != std::string::npos);
  r.kind = "verify";
  r.wrong = 1;
  r.fault = "rank 2 lacks the contribution of 0";
  CHECK(table({r}).find("| WRONG |") != std::string::npos);
  CHECK(table({r}).find("| rank 2 lacks the contribution of 0 |") != std::string::npos);
}

TEST_CASE("CSV has a column for every JSON key, the same for every record") {
  Record full, empty;
  full.kind = empty.kind = "run";
  full.algorithm = "ring";
  full.claimed = Cost{1, 2, 3};
  full.time_us = Summary{10, 500, 480, 530, 470, 600};
  CHECK(csv_header(to_json(full)) == csv_header(to_json(empty)));
  CHECK(csv_header(to_json(full))
            .find(",claimed.messages,claimed.elements_sent,claimed.rounds,"
                  "time_us.n,time_us.median,time_us.ci95.0,time_us.ci95.1,"
                  "time_us.min,time_us.p99,") != std::string::npos);
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  CHECK(commas(csv_row(to_json(empty))) == commas(csv_header(to_json(empty))));
  CHECK(commas(csv_row(to_json(full))) == commas(csv_header(to_json(full))));
  CHECK(csv_row(to_json(full)).find(",10,500.0,480.0,530.0,470.0,600.0,") != std::string::npos);
}

TEST_CASE("CSV quotes as RFC 4180 says, and null is empty") {
  const auto row = [](Json value) {
    Json json{{"a", std::move(value)}, {"claimed", Json::object()}, {"time_us", Json::object()}};
    return csv_row(json);
  };
  CHECK(row("plain text") == "plain text\n");
  CHECK(row("a,b") == "\"a,b\"\n");
  CHECK(row("say \"hi\"") == "\"say \"\"hi\"\"\"\n");
  CHECK(row("two\nlines") == "\"two\nlines\"\n");
  CHECK(row("two\r\nlines") == "\"two\r\nlines\"\n");
  CHECK(row(nullptr) == "\n");
  CHECK(row("") == "\n");
  CHECK(row(7) == "7\n");
  CHECK(row(0.25) == "0.25\n");
  CHECK(row(true) == "true\n");
  CHECK(row("\xC3\xA9") == "\xC3\xA9\n");
}
