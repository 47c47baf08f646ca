// Logs that are damaged in more than 50 ways: every row that is read is one of the whole log's, and
// a row that is not read has a note.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bench/logs/log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

using Lines = std::vector<std::string>;

Lines split(const std::string& text) {
  Lines lines;
  std::string line;
  for (const char c : text)
    if (c == '\n')
      lines.push_back(std::exchange(line, ""));
    else
      line += c;
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines words(const std::string& line) {
  Lines all;
  std::string word;
  for (const char c : line + " ")
    if (c != ' ')
      word += c;
    else if (!word.empty())
      all.push_back(std::exchange(word, ""));
  return all;
}

std::string with_word(const std::string& line, std::size_t number, const std::string& other) {
  Lines all = words(line);
  number = std::min(number, all.size() - 1);
  if (other.empty())
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(number));
  else
    all[number] = other;
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : "  ") + word;
  return text;
}

// A row as a value that compares.
using Row = std::tuple<Collective, Rank, std::int64_t, bool, double, Count>;

std::multiset<Row> rows_of(const Log& log) {
  std::multiset<Row> all;
  for (const LogTable& table : log.tables)
    for (const LogRow& row : table.rows)
      all.insert({table.collective, table.ranks, row.bytes, row.in_place, row.time_us,
                  row.wrong.value_or(-1)});
  return all;
}

bool any_refused(const Log& log) {
  return std::any_of(log.notes.begin(), log.notes.end(),
                     [](const LogNote& note) { return note.refused; });
}

struct Fixture {
  const char* name;
  LogHints hints;
};

const Fixture kFixtures[] = {{"abci_allreduce.txt", {}},
                             {"abci_broadcast.txt", {}},
                             {"abci_osu.txt", {.collective = {}, .ranks = 16}},
                             {"efa_kubernetes.txt", {}},
                             {"efa_srun.txt", {}},
                             {"gcp_a3mega.txt", {}},
                             {"gh200_218.txt", {}},
                             {"imb_allreduce.txt", {}},
                             {"superbench_allreduce.txt", {}}};

std::string text_of_fixture(const std::string& name) {
  return text_of(source_file("tests/bench/logs/fixtures/" + name));
}

// The lines with rows, and the line that heads them.
struct Places {
  std::vector<std::size_t> rows;
  std::size_t head = 0;
};

Places places_of(const Log& log) {
  Places places;
  std::set<std::size_t> lines;
  for (const LogRow& row : log.tables.front().rows) lines.insert(row.line - 1);
  places.rows.assign(lines.begin(), lines.end());
  places.head = log.tables.front().line - 1;
  return places;
}

struct Damage {
  std::string name;
  std::function<void(Lines&, const Places&)> apply;
  bool hurts = true;  // a row
};

// Of a row in the middle, or of the one that the number gives.
Damage of_row(const std::string& name, const std::function<std::string(std::string)>& change,
              bool hurts = true) {
  return {name,
          [change](Lines& lines, const Places& places) {
            std::string& row = lines[places.rows[places.rows.size() / 2]];
            row = change(row);
          },
          hurts};
}

std::vector<Damage> damages() {
  std::vector<Damage> all;
  for (const int part : {5, 15, 25, 35, 45, 55, 65, 75, 85, 95})  // percent of a line
    all.push_back(of_row(
        "cut at " + std::to_string(part) + "%",
        [part](const std::string& row) {
          const std::size_t prefix = row.find(":  "), from = row.find("  ");
          const std::size_t first =
              row.find_first_not_of(' ', prefix == std::string::npos ? from : prefix + 1);
          const std::size_t length = row.size() - first;
          return row.substr(0, first + std::max<std::size_t>(1, length * part / 100));
        },
        part < 90));
  for (std::size_t word = 0; word < 9; ++word)
    all.push_back(of_row("without word " + std::to_string(word), [word](const std::string& row) {
      return with_word(row, words(row).size() - 1 - word % words(row).size(), "");
    }));
  for (const char* value : {"nan", "inf", "-inf", "1e999", "99999999999999999999", "-5", "1,024",
                            "0x10", "--", "1.2.3", "12abc", "\xff\xfe"})
    for (const std::size_t from_end : {0U, 1U, 2U})
      all.push_back(of_row(std::string(value) + " at " + std::to_string(from_end),
                           [value, from_end](const std::string& row) {
                             const std::size_t n = words(row).size();
                             return with_word(row, n - 1 - std::min<std::size_t>(from_end, n - 1),
                                              value);
                           }));
  all.push_back(of_row("half of it twice",
                       [](const std::string& row) { return row + row.substr(row.size() / 2); }));
  all.push_back(of_row("a warning within", [](const std::string& row) {
    return row.substr(0, row.size() / 2) + "[3] NCCL WARN Call failed" + row.substr(row.size() / 2);
  }));
  all.push_back(of_row("a warning behind", [](const std::string& row) {
    return row + "h1:2:3 [0] NCCL INFO Launch mode";
  }));
  all.push_back(of_row("another writer's prefix",
                       [](const std::string& row) { return "[1,7]<stderr>:" + row; }));
  all.push_back({"two rows on a line", [](Lines& lines, const Places& places) {
                   lines[places.rows[1]] += lines[places.rows[2]];
                 }});
  all.push_back({"a row on two lines", [](Lines& lines, const Places& places) {
                   std::string& row = lines[places.rows[1]];
                   const std::size_t half = row.find(' ', row.size() / 2);
                   row.insert(half, "\n");
                 }});
  all.push_back({"no head",
                 [](Lines& lines, const Places& places) {
                   lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(places.head));
                 },
                 false});
  all.push_back({"two heads",
                 [](Lines& lines, const Places& places) {
                   lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(places.head),
                                lines[places.head]);
                 },
                 false});
  all.push_back({"half a head",
                 [](Lines& lines, const Places& places) {
                   std::string& head = lines[places.head];
                   head.resize(head.size() * 2 / 3);
                 },
                 false});
  all.push_back({"a head among the rows",
                 [](Lines& lines, const Places& places) {
                   lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(places.rows[2]),
                                lines[places.head]);
                 },
                 false});
  return all;
}

// Of the whole text: no row is lost.
std::vector<Damage> harmless() {
  const auto each = [](const std::function<std::string(const std::string&)>& change) {
    return [change](Lines& lines, const Places&) {
      for (std::string& line : lines) line = change(line);
    };
  };
  std::vector<Damage> all;
  all.push_back({"CRLF", each([](const std::string& line) { return line + "\r"; }), false});
  all.push_back({"spaces behind", each([](const std::string& l) { return l + "   "; }), false});
  all.push_back({"tabs", each([](std::string line) {
                   std::replace(line.begin(), line.end(), ' ', '\t');
                   return line;
                 }),
                 false});
  all.push_back({"time stamps",
                 each([](const std::string& line) { return "2026-07-09T12:34:56.789Z " + line; }),
                 false});
  all.push_back({"bracketed times",
                 each([](const std::string& line) { return "[12:34:56] " + line; }), false});
  all.push_back(
      {"colors", each([](const std::string& l) { return "\x1b[32m" + l + "\x1b[0m"; }), false});
  all.push_back({"a pod's name", each([](const std::string& line) {
                   return "[pod/nccl-test-launcher-x7k2p/main] " + line;
                 }),
                 false});
  all.push_back({"warnings between",
                 [](Lines& lines, const Places& places) {
                   for (auto at = places.rows.rbegin(); at != places.rows.rend(); ++at)
                     lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(*at),
                                  {"",
                                   "[2026-07-09 11:29:56] h1:321049:321049 [0] "
                                   "ras/client_support.cc:181 NCCL WARN Call to bind failed: "
                                   "Address already in use"});
                 },
                 false});
  return all;
}

void check(const Fixture& fixture, const Damage& damage) {
  INFO(fixture.name << ": " << damage.name);
  const std::string text = text_of_fixture(fixture.name);
  const Log whole = read_log_text(text, fixture.hints);
  Lines lines = split(text);
  damage.apply(lines, places_of(whole));
  const Log read = read_log_text(joined(lines), fixture.hints);
  const std::multiset<Row> before = rows_of(whole), after = rows_of(read);
  std::vector<Row> invented;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(invented));
  CHECK(invented.empty());
  if (after.size() < before.size()) CHECK(any_refused(read));
  if (damage.hurts) CHECK(any_refused(read));
}

}  // namespace

TEST_CASE("a damaged log gives rows of the whole one, or notes") {
  CHECK(damages().size() >= 50);
  for (const Fixture& fixture : kFixtures)
    for (const Damage& damage : damages()) check(fixture, damage);
}

TEST_CASE("what launchers and terminals add costs no row") {
  for (const Fixture& fixture : kFixtures) {
    const std::multiset<Row> before =
        rows_of(read_log_text(text_of_fixture(fixture.name), fixture.hints));
    for (const Damage& damage : harmless()) {
      INFO(fixture.name << ": " << damage.name);
      Lines lines = split(text_of_fixture(fixture.name));
      damage.apply(lines, places_of(read_log_text(joined(lines), fixture.hints)));
      CHECK(rows_of(read_log_text(joined(lines), fixture.hints)) == before);
    }
  }
}

TEST_CASE("a log that is cut anywhere gives rows of the whole one") {
  for (const Fixture& fixture : kFixtures) {
    INFO(fixture.name);
    const std::string text = text_of_fixture(fixture.name);
    const std::multiset<Row> before = rows_of(read_log_text(text, fixture.hints));
    for (std::size_t end = 0; end < text.size(); end += 7) {
      const std::multiset<Row> after = rows_of(read_log_text(text.substr(0, end), fixture.hints));
      CHECK(std::includes(before.begin(), before.end(), after.begin(), after.end()));
    }
  }
}
