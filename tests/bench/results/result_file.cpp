#include "bench/results/result_file.hpp"

#include "bench/results/context.hpp"
#include "bench/results/json_schema.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

using Mode = ResultFile::Mode;

const Json kContext = context({"arlab", "count"});

Json record(int ranks) {
  Record r;
  r.algorithm = "ring";
  r.problem = {.ranks = ranks, .elements = 10};
  return to_json(r);
}

std::string lines(const std::vector<Json>& all) {
  std::string text;
  for (const Json& json : all) text += json.dump() + "\n";
  return text;
}

// Writes the records of these ranks that the file lacks.
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

TEST_CASE("a fresh file has a context line, then one line per record") {
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

TEST_CASE("does not keep an empty file") {
  const Folder folder;
  const std::string path = folder.with("a.jsonl", "");
  sweep(path, Mode::fresh, {2});
  CHECK_FALSE(std::filesystem::exists(path + ".1"));
  CHECK(text_of(path) == lines({kContext, record(2)}));
}

TEST_CASE("creates missing folders") {
  const Folder folder;
  const std::string path = folder.file("some/where/a.jsonl");
  sweep(path, Mode::fresh, {2});
  CHECK(read_results(path).records.size() == 1);
}

TEST_CASE("resume appends the missing records") {
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

TEST_CASE("resume without a file, or with an empty one, starts it") {
  const Folder folder;
  CHECK(sweep(folder.file("a.jsonl"), Mode::resume, {2}) == 1);
  CHECK(text_of(folder.file("a.jsonl")) == lines({kContext, record(2)}));
  CHECK(sweep(folder.with("b.jsonl", ""), Mode::resume, {2}) == 1);
  CHECK(text_of(folder.file("b.jsonl")) == lines({kContext, record(2)}));
}

TEST_CASE("a file cut at any byte is resumed to the same records, without losing a complete one") {
  const Folder folder;
  const std::string whole = lines({kContext, record(2), record(3), record(4)});
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    INFO(cut);
    const std::string path = folder.with("a.jsonl", whole.substr(0, cut));
    const auto lines_before =
        std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n');
    const int done = sweep(path, Mode::resume, {2, 3, 4});
    // A record that lacks only its newline is complete.
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

TEST_CASE("drops only the incomplete line") {
  const Folder folder;
  const std::string path =
      folder.with("a.jsonl", lines({kContext, record(2)}) + "{\"schema\":2,\"ki");
  const Results results = read_results(path);
  CHECK(results.cut_short);
  CHECK(results.records.size() == 1);
  CHECK(results.whole_bytes == static_cast<std::int64_t>(lines({kContext, record(2)}).size()));
  sweep(path, Mode::resume, {2, 3});
  CHECK(text_of(path) == lines({kContext, record(2), kContext, record(3)}));
}

TEST_CASE("a file of something else is refused, and stays as it is") {
  const Folder folder;
  const std::string carriage_returns = kContext.dump() + "\r" + record(2).dump() + "\r";
  for (const std::string& text :
       {std::string("ssh-ed25519 AAAA my precious key"), std::string("\0\x80\xFF", 3),
        carriage_returns, lines({kContext}) + "precious"}) {
    INFO(text);
    const std::string path = folder.with("key", text);
    CHECK(failure([&] { ResultFile(path, Mode::resume, kContext); }).find("not a record") !=
          std::string::npos);
    CHECK(text_of(path) == text);
  }
}

TEST_CASE("a last line without its newline counts, and gets one") {
  const Folder folder;
  const std::string path = folder.with("a.jsonl", lines({kContext}) + record(2).dump());
  CHECK_FALSE(read_results(path).cut_short);
  CHECK(read_results(path).records.size() == 1);
  CHECK(sweep(path, Mode::resume, {2, 3}) == 1);
  CHECK(text_of(path) == lines({kContext, record(2), kContext, record(3)}));
}

TEST_CASE("a bad line is an error that names file and line, and leaves the file as it is") {
  const Folder folder;
  for (const std::string bad : {"{\"kind\":\"count\"", "[1,2]", "7", "{}", "{\"kind\":3}",
                                "\xFF\xFE", "{\"kind\":\"count\"} x", "null"}) {
    INFO(bad);
    const std::string text = lines({kContext}) + "\n" + bad + "\n" + lines({record(2)});
    const std::string path = folder.with("a.jsonl", text);
    const std::string expected =
        "2: " + path +
        ":3: not a record (a JSON object with a \"kind\"): correct or remove the line";
    CHECK(read_failure(path) == expected);
    CHECK(failure([&] { ResultFile(path, Mode::resume, kContext); }) == expected);
    CHECK(text_of(path) == text);
  }
}

TEST_CASE("ignores blank lines and Windows line ends") {
  const Folder folder;
  const std::string path =
      folder.with("a.jsonl", "\n" + kContext.dump() + "\r\n  \t\n" + record(2).dump() + "\r\n\n");
  CHECK(read_results(path).records.size() == 1);
  CHECK(sweep(path, Mode::resume, {2}) == 0);
}

TEST_CASE("reports a file that cannot be read") {
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

TEST_CASE("reads files without records") {
  const Folder folder;
  CHECK(read_results(folder.with("empty", "")).records.empty());
  CHECK(read_results(folder.with("empty", "")).contexts.empty());
  const Results context_alone = read_results(folder.with("context", lines({kContext})));
  CHECK(context_alone.records.empty());
  CHECK(context_alone.contexts.size() == 1);
  CHECK(read_results(folder.with("bare", lines({record(2)}))).records[0]["context"].is_null());
}

TEST_CASE("reports a file that cannot be written") {
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

TEST_CASE("resume repeats a skipped record unless it is skipped again, whatever the reason says") {
  const Folder folder;
  Json skipped = record(2), measured = record(3), skipped_later = record(3);
  skipped["skipped"] = "only 19.8 GiB are free";
  skipped_later["skipped"] = "only 1 GiB is free";
  const std::string path =
      folder.with("a.jsonl", lines({kContext, skipped, measured, skipped_later}));
  const ResultFile file(path, Mode::resume, kContext);
  CHECK(file.find(skipped) != nullptr);
  CHECK(file.find(record(2)) == nullptr);
  skipped["skipped"] = "only 19.7 GiB are free";
  CHECK(file.find(skipped) != nullptr);
  REQUIRE(file.find(record(3)) != nullptr);  // a measured one counts more than a skipped one
  CHECK(*file.find(skipped_later) == measured);
}

TEST_CASE("resume knows which records one command wrote") {
  const Folder folder;
  const std::string path =
      folder.with("a.jsonl", lines({kContext, record(2), record(3), kContext, record(4)}));
  const ResultFile file(path, Mode::resume, kContext);
  CHECK(file.holds_together({record(2), record(3)}));
  CHECK(file.holds_together({record(4)}));
  CHECK_FALSE(file.holds_together({record(3), record(4)}));
  CHECK_FALSE(file.holds_together({record(4), record(5)}));
}

TEST_CASE("of what a resumed command measured again, the last counts") {
  const auto run = [](int ranks) {
    Record r;
    r.algorithm = "ring";
    r.problem = {.ranks = ranks, .elements = 10};
    r.body = RunBody{.backend = "threads"};
    return to_json(r);
  };
  const Json usual = context({"arlab", "run"}), resumed = context({"arlab", "run", "--resume"});
  std::vector<std::pair<int, int>> left;  // ranks and context
  for (const Json& json :
       results_of(lines({usual, run(2), run(3), resumed, run(2), run(4), usual, run(3), run(4)}),
                  "a.jsonl")
           .records)
    left.emplace_back(json["ranks"], json["context"]);
  CHECK(left == std::vector<std::pair<int, int>>{{3, 0}, {2, 1}, {4, 1}, {3, 2}, {4, 2}});
}

TEST_CASE("an earlier file behind a link is kept, and the link stays") {
  const Folder folder;
  const std::string link = folder.file("link.jsonl"), real = folder.file("data/real.jsonl");
  sweep(real, Mode::fresh, {2});
  std::filesystem::create_symlink("data/real.jsonl", link);
  sweep(link, Mode::fresh, {3});
  CHECK(std::filesystem::is_symlink(link));
  CHECK_FALSE(std::filesystem::exists(link + ".1"));
  CHECK(text_of(real) == lines({kContext, record(3)}));
  CHECK(text_of(real + ".1") == lines({kContext, record(2)}));
}

TEST_CASE("find returns the record of the file") {
  const Folder folder;
  Json measured = record(2);
  measured["wrong"] = 0;
  const std::string path = folder.with("a.jsonl", lines({kContext, measured}));
  const ResultFile file(path, Mode::resume, kContext);
  REQUIRE(file.find(record(2)) != nullptr);
  CHECK(*file.find(record(2)) == measured);
}

TEST_CASE("writes invalid UTF-8 so that it can be read back") {
  const Folder folder;
  Json odd = record(2);
  odd["label"] = "\xFF<script>";
  ResultFile(folder.file("a.jsonl"), Mode::fresh, kContext).add(odd);
  CHECK(read_results(folder.file("a.jsonl")).records[0]["label"] == "\xEF\xBF\xBD<script>");
}

TEST_CASE("files of schema 1 are read as schema 2") {
  const Results results = read_results(source_file("tests/bench/results/schema1.jsonl"));
  CHECK(results.contexts.at(0)["copy_limit_gb_per_s"] == 3500.5);
  REQUIRE(results.records.size() == 4);
  const JsonSchema schema(kRecordsSchema);
  CHECK(schema.violation(results.contexts[0]) == "");
  for (Json record : results.records) {
    record.erase("context");
    INFO(record.dump());
    CHECK(schema.violation(record) == "");
  }
  const Json &run = results.records[0], &native = results.records[1];
  CHECK(run["busbw_gb_per_s"] == 3.0);
  CHECK(run["copy_limit_fraction"] == 0.5);
  CHECK(native["native_choice"] == "Tree LL128");
  const Json& link = results.records[2]["most_utilized_links"][0];
  CHECK(link["utilization"] == 0.95);
  CHECK(link["utilization_by_step"] == Json{0.5, 1.0});
  const Json& train = results.records[3];
  CHECK(train["batch_size"] == 32);
  CHECK(train["multiply_adds_per_s"] == 1e12);
  CHECK(train["epochs"][0]["elapsed_us"] == 2e6);
  CHECK(train["epochs"][0]["exposed_us"] == 5e5);
}

TEST_CASE("resume continues a file of schema 1") {
  const Folder folder;
  Json earlier = record(2);
  earlier["schema"] = 1;
  earlier["algbw_gbps"] = 7;
  const std::string path = folder.with("a.jsonl", lines({earlier}));
  const ResultFile file(path, Mode::resume, kContext);
  REQUIRE(file.find(record(2)) != nullptr);
  CHECK((*file.find(record(2)))["algbw_gb_per_s"] == 7);
  CHECK(file.find(record(3)) == nullptr);
}

TEST_CASE("rejects other schemas with line and reason") {
  const Folder folder;
  for (const std::string bad : {"{\"schema\":3,\"kind\":\"run\"}", "{\"kind\":\"run\"}"}) {
    const std::string path = folder.with("a.jsonl", lines({kContext}) + bad + "\n");
    CHECK(
        read_failure(path) ==
        "2: " + path + ":2: schema " + (bad.find('3') == std::string::npos ? "missing" : "3") +
            ", but this program reads schemas 1 and 2: read the file with the arlab that wrote it, "
            "or write it again");
  }
}

TEST_CASE("rejects lines that are not in the schema, with line and key, and leaves the file") {
  const Folder folder;
  const auto refused = [&](const Json& bad) {
    const std::string text = lines({kContext, bad, record(2)});
    const std::string path = folder.with("a.jsonl", text);
    const std::string why = read_failure(path);
    CHECK(failure([&] { ResultFile(path, Mode::resume, kContext); }) == why);
    CHECK(text_of(path) == text);
    const std::string where = "2: " + path + ":2: ";
    REQUIRE(why.substr(0, where.size()) == where);
    return why.substr(where.size());
  };
  const Json good = record(2);
  for (const auto& [key, value] : good.items()) {
    if (key == "schema" || key == "kind") continue;
    if (key == "dims" || key == "trees") continue;  // came later: null
    Json bad = good;
    bad.erase(key);
    CHECK(refused(bad) == "\"" + key + "\" is missing: correct or remove the line");
    bad = good;
    bad[key] = value.is_array() ? Json("text") : Json{1, 2};
    CHECK(refused(bad).find("\"" + key + "\" is a list of 2, ") == 0);
  }
  const auto with = [&](const char* key, const Json& value) {
    Json bad = good;
    bad[key] = value;
    return refused(bad);
  };
  CHECK(with("ranks", -4) == "\"ranks\" is -4, below 0: correct or remove the line");
  CHECK(with("ranks", "4") ==
        "\"ranks\" is \"4\", not of type integer: correct or remove the line");
  CHECK(with("claimed", {{"messages", 1}}) ==
        "\"claimed.elements_sent\" is missing: correct or remove the line");
  CHECK(with("kind", "measure").find("\"kind\" is \"measure\", which is unknown") == 0);
  CHECK(with("op", "xor").find("\"op\" is \"xor\", which is unknown") == 0);
  Json ci = good;
  ci["time_us"] = {{"n", 1}, {"median", 1.}, {"ci95", {1.}}, {"min", 1.}, {"p99", 1.}};
  CHECK(refused(ci).find("\"time_us.ci95\" has 1 entries, not 2") == 0);
}

TEST_CASE("keys that the schema does not know are kept") {
  const Folder folder;
  Json later = record(2);
  later["surprise"] = 1;
  CHECK(read_results(folder.with("a.jsonl", lines({later}))).records[0]["surprise"] == 1);
}

TEST_CASE("runs from before modes are read as in place, alone, warm and after a barrier") {
  const Folder folder;
  Record r;
  r.algorithm = "ring";
  r.body = RunBody{.backend = "threads"};
  const Json now = to_json(r);
  Json before = now, context_before = kContext;
  for (const char* key : {"place", "mode", "repeats", "cache", "start", "summary_over_ranks",
                          "binding", "time_statistics_us", "time_variation", "ci_coverage",
                          "collective_us", "waiting_us", "entry_skew_us", "exit_skew_us", "clock",
                          "clock_deviation_us", "late_starts", "rank_sum_p"})
    CHECK(before.erase(key) == 1);
  for (const char* key : {"governor", "environment", "launch"})
    CHECK(context_before.erase(key) == 1);
  const Results results = read_results(folder.with("a.jsonl", lines({context_before, before})));
  Json read = results.records[0];
  read.erase("context");
  CHECK(identity(read) == identity(now));
  for (const auto& [key, value] : now.items()) CHECK(read[key] == value);
  CHECK(results.contexts[0]["launch"].is_null());
}

TEST_CASE("a line that is nested too deep is not parsed") {
  const Folder folder;
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(read_failure(folder.with("a.jsonl", deep + "\n")).find(":1: not a record") !=
        std::string::npos);
  const std::string quoted = "{\"schema\":2,\"kind\":\"" + std::string(100, '[') + "\"}";
  CHECK(read_failure(folder.with("b.jsonl", quoted + "\n")).find("which is unknown") !=
        std::string::npos);
}

TEST_CASE("one process at a time writes a file") {
  const Folder folder;
  const std::string path = folder.file("a.jsonl");
  {
    ResultFile first(path, Mode::fresh, kContext);
    for (const Mode mode : {Mode::fresh, Mode::resume})
      CHECK(failure([&] {
              ResultFile(path, mode, kContext);
            }).find("another process writes " + path) != std::string::npos);
    first.add(record(2));
    CHECK_FALSE(std::filesystem::exists(path + ".1"));
  }
  CHECK(sweep(path, Mode::resume, {2, 3}) == 1);
}
