#include "bench/results/result_file.hpp"

#include "bench/results/statistics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

using Mode = ResultFile::Mode;

const Json kContext{{"schema", 1}, {"kind", "context"}};

Json record(int ranks) {
  return {{"schema", 1}, {"kind", "count"}, {"algorithm", "ring"}, {"ranks", ranks}};
}

std::string lines(const std::vector<Json>& all) {
  std::string text;
  for (const Json& json : all) text += json.dump() + "\n";
  return text;
}

// Writes records of these ranks, those that are not there yet.
int sweep(const std::string& path, Mode mode, const std::vector<int>& ranks) {
  ResultFile file(path, mode, kContext);
  int done = 0;
  for (const int p : ranks)
    if (!file.find(record(p))) file.add(record(p)), ++done;
  return done;
}

std::string read_failure(const std::string& path) {
  return failure([&] { read_results(path); });
}

}  // namespace

TEST_CASE("a fresh file has a context, then a record a line") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  CHECK(sweep(path, Mode::fresh, {2, 3}) == 2);
  CHECK(text_of(path) == lines({kContext, record(2), record(3)}));
  const Results results = read_results(path);
  CHECK(results.contexts.size() == 1);
  REQUIRE(results.records.size() == 2);
  CHECK(results.records[1]["ranks"] == 3);
  CHECK(results.records[1]["context"] == 0);
  CHECK_FALSE(results.cut_short);
}

TEST_CASE("each record is on disk as soon as it is added") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  ResultFile file(path, Mode::fresh, kContext);
  CHECK(text_of(path) == lines({kContext}));
  file.add(record(2));
  CHECK(text_of(path) == lines({kContext, record(2)}));
}

TEST_CASE("a fresh file keeps the earlier ones as .1, .2, ...") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  for (const int p : {2, 3, 4}) sweep(path, Mode::fresh, {p});
  CHECK(text_of(path) == lines({kContext, record(4)}));
  CHECK(text_of(path + ".1") == lines({kContext, record(2)}));
  CHECK(text_of(path + ".2") == lines({kContext, record(3)}));
}

TEST_CASE("an empty file is nothing to keep") {
  const Folder folder;
  const std::string path = folder.with("a.jsonl", "");
  sweep(path, Mode::fresh, {2});
  CHECK_FALSE(std::filesystem::exists(path + ".1"));
  CHECK(text_of(path) == lines({kContext, record(2)}));
}

TEST_CASE("folders on the way are made") {
  const Folder folder;
  const std::string path = folder.file("some/where/a.jsonl");
  sweep(path, Mode::fresh, {2});
  CHECK(read_results(path).records.size() == 1);
}

TEST_CASE("resume does only what is missing, and appends") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  sweep(path, Mode::fresh, {2, 3});
  CHECK(sweep(path, Mode::resume, {2, 3, 4}) == 1);
  CHECK(text_of(path) == lines({kContext, record(2), record(3), kContext, record(4)}));
  const Results results = read_results(path);
  CHECK(results.contexts.size() == 2);
  CHECK(results.records.back()["context"] == 1);
  CHECK_FALSE(std::filesystem::exists(path + ".1"));
}

TEST_CASE("resume without a file, or with an empty one, begins it") {
  const Folder folder;
  CHECK(sweep(folder.file("a.jsonl"), Mode::resume, {2}) == 1);
  CHECK(text_of(folder.file("a.jsonl")) == lines({kContext, record(2)}));
  CHECK(sweep(folder.with("b.jsonl", ""), Mode::resume, {2}) == 1);
  CHECK(text_of(folder.file("b.jsonl")) == lines({kContext, record(2)}));
}

TEST_CASE("a file cut anywhere is resumed to the same records, and loses no whole one") {
  const Folder folder;
  const std::string whole = lines({kContext, record(2), record(3), record(4)});
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    INFO(cut);
    const std::string path = folder.with("a.jsonl", whole.substr(0, cut));
    const auto lines_before =
        std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n');
    const int done = sweep(path, Mode::resume, {2, 3, 4});
    // A record of which only the newline is missing is whole.
    const bool complete = cut < whole.size() && whole[cut] == '\n';
    const long there = std::max(0L, lines_before + (complete ? 1 : 0) - 1);
    REQUIRE(done == 3 - there);
    const Results results = read_results(path);
    REQUIRE_FALSE(results.cut_short);
    REQUIRE(results.records.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
      REQUIRE(results.records[i]["ranks"] == 2 + static_cast<int>(i));
  }
}

TEST_CASE("the half-written line alone is dropped") {
  const Folder folder;
  const std::string path =
      folder.with("a.jsonl", lines({kContext, record(2)}) + "{\"schema\":1,\"ki");
  const Results results = read_results(path);
  CHECK(results.cut_short);
  CHECK(results.records.size() == 1);
  CHECK(results.whole_bytes == static_cast<std::int64_t>(lines({kContext, record(2)}).size()));
  sweep(path, Mode::resume, {2, 3});
  CHECK(text_of(path) == lines({kContext, record(2), kContext, record(3)}));
}

TEST_CASE("a last line that lacks only its newline counts, and is ended") {
  const Folder folder;
  const std::string path = folder.with("a.jsonl", lines({kContext}) + record(2).dump());
  CHECK_FALSE(read_results(path).cut_short);
  CHECK(read_results(path).records.size() == 1);
  CHECK(sweep(path, Mode::resume, {2, 3}) == 1);
  CHECK(text_of(path) == lines({kContext, record(2), kContext, record(3)}));
}

TEST_CASE("a bad line before the last is an error that names file and line, and changes nothing") {
  const Folder folder;
  for (const std::string bad : {"{\"kind\":\"count\"", "[1,2]", "7", "{}", "{\"kind\":3}",
                                "\xFF\xFE", "{\"kind\":\"count\"} x", "null"}) {
    INFO(bad);
    const std::string text = lines({kContext}) + "\n" + bad + "\n" + lines({record(2)});
    const std::string path = folder.with("a.jsonl", text);
    const std::string expected =
        "2: " + path + ":3: no record (a JSON object with a \"kind\"): mend or remove the line";
    CHECK(read_failure(path) == expected);
    CHECK(failure([&] { ResultFile(path, Mode::resume, kContext); }) == expected);
    CHECK(text_of(path) == text);
  }
}

TEST_CASE("blank lines and Windows line ends are no records") {
  const Folder folder;
  const std::string path =
      folder.with("a.jsonl", "\n" + kContext.dump() + "\r\n  \t\n" + record(2).dump() + "\r\n\n");
  CHECK(read_results(path).records.size() == 1);
  CHECK(sweep(path, Mode::resume, {2}) == 0);
}

TEST_CASE("what cannot be read says so") {
  const Folder folder;
  CHECK(read_failure(folder.file("none")) == "3: cannot read " + folder.file("none") +
                                                 " (No such file or directory): give a result file "
                                                 "written with --json");
  CHECK(read_failure(folder.file("")) == "3: cannot read " + folder.file("") +
                                             " (it is a folder): give a result file written with "
                                             "--json");
  CHECK(read_failure(folder.with("file", "x") + "/below").find("(Not a directory)") !=
        std::string::npos);
}

TEST_CASE("files without records are read as such") {
  const Folder folder;
  CHECK(read_results(folder.with("empty", "")).records.empty());
  CHECK(read_results(folder.with("empty", "")).contexts.empty());
  const Results context_alone = read_results(folder.with("context", lines({kContext})));
  CHECK(context_alone.records.empty());
  CHECK(context_alone.contexts.size() == 1);
  CHECK(read_results(folder.with("bare", lines({record(2)}))).records[0]["context"].is_null());
}

TEST_CASE("what cannot be written says so") {
  const Folder folder;
  const auto opening = [](const std::string& path) {
    return failure([&] { ResultFile(path, Mode::fresh, kContext); });
  };
  CHECK(opening(folder.file("")).find("3: cannot write ") == 0);
  CHECK(opening(folder.with("file", "x") + "/below") ==
        "3: cannot write " + folder.file("file/below") +
            " (Not a directory): name a file that can be written");
  CHECK(opening(folder.file(std::string(300, 'x'))).find("(File name too long)") !=
        std::string::npos);
  if (std::filesystem::exists("/dev/full"))
    CHECK(opening("/dev/full") ==
          "3: cannot write /dev/full (No space left on device): make room "
          "or write somewhere else");
}

TEST_CASE("a skipped record is done again unless it would be skipped again for the same reason") {
  const Folder folder;
  Json skipped = record(2);
  skipped["skipped"] = "too many messages";
  const std::string path = folder.with("a.jsonl", lines({kContext, skipped}));
  const ResultFile file(path, Mode::resume, kContext);
  CHECK(file.find(skipped) != nullptr);
  CHECK(file.find(record(2)) == nullptr);
  skipped["skipped"] = "too much memory";
  CHECK(file.find(skipped) == nullptr);
}

TEST_CASE("what is found is the record as it was written") {
  const Folder folder;
  Json measured = record(2);
  measured["wrong"] = 0;
  const std::string path = folder.with("a.jsonl", lines({kContext, measured}));
  const ResultFile file(path, Mode::resume, kContext);
  REQUIRE(file.find(record(2)) != nullptr);
  CHECK(*file.find(record(2)) == measured);
}

TEST_CASE("text that is no UTF-8 is written as something that can be read back") {
  const Folder folder;
  Json odd = record(2);
  odd["label"] = "\xFF<script>";
  ResultFile(folder.file("a.jsonl"), Mode::fresh, kContext).add(odd);
  CHECK(read_results(folder.file("a.jsonl")).records[0]["label"] == "\xEF\xBF\xBD<script>");
}
