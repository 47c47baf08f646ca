// Rules files against hand-written ones, and against what is known to make Open MPI ignore a file.
#include "bench/formats/rules/open_mpi_rules.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr Count kLast = TuningTable::kNoEnd;
constexpr OpenMpiVersion k414{4, 1, 4};

TuningTable example() {
  return {"a test",
          {{1, 3, {{0, kLast, {"native"}}}},
           {4,
            kLast,
            {{0, 4095, {"native:recursive_doubling"}},
             {4096, 65535, {"native"}},
             {65536, kLast, {"native:segmented_ring:segment=16K"}}}}}};
}

// Without comments and empty lines, as Open MPI reads it.
std::string numbers(const std::string& text) {
  std::string plain, line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    line = line.substr(0, line.find('#'));
    while (line.ends_with(' ')) line.pop_back();
    if (!line.empty()) plain += line + "\n";
    line.clear();
  }
  return plain;
}

std::string refused_rules(const std::string& text, const OpenMpiVersion& version = k414) {
  return refusal([&] { parse_open_mpi_rules(text, "r.conf", version); });
}

}  // namespace

TEST_CASE("releases of Open MPI are read from its name, and from a number") {
  CHECK(open_mpi_version("Open MPI v4.1.4") == k414);
  CHECK(open_mpi_version("5.0.7") == OpenMpiVersion{5, 0, 7});
  CHECK(open_mpi_version("6.0.0rc1") == OpenMpiVersion{6, 0, 0});
  CHECK(open_mpi_version("6.0") == OpenMpiVersion{6, 0, 0});
  for (const char* text : {"", "MPICH Version: 4.0.2", "four", "4", "4.1.4x", "0.0.0", "-1.0.0"})
    CHECK_FALSE(open_mpi_version(text));
}

TEST_CASE("rules in the classic format, as written by hand") {
  CHECK(numbers(open_mpi_rules(example(), k414)) ==
        "1\n2\n2\n"
        "1\n1\n0 0 0 0\n"
        "4\n3\n0 3 0 0\n4096 0 0 0\n65536 5 0 16384\n");
}

TEST_CASE("rules in the classic format are read back as they were written") {
  const TuningTable table = parse_open_mpi_rules(open_mpi_rules(example(), k414), "r.conf", k414);
  CHECK(table.rows.size() == 2);
  CHECK(table.choice(2, 1).algorithm == "native");
  CHECK(table.choice(4, 4095).algorithm == "native:recursive_doubling");
  CHECK(table.choice(4, 4096).algorithm == "native");
  CHECK(table.choice(9, 1 << 20).algorithm == "native:segmented_ring:segment=16384");
}

TEST_CASE("rules from Open MPI 6 on are JSON") {
  const auto json = nlohmann::json::parse(open_mpi_rules(example(), {6, 0, 0}));
  CHECK(json["rule_file_version"] == 3);
  CHECK(json["module"] == "tuned");
  const auto& rows = json["collectives"]["allreduce"];
  REQUIRE(rows.size() == 1);  // the library decides about the other ranks
  CHECK(rows[0]["comm_size_min"] == 4);
  CHECK(rows[0]["comm_size_max"] == "inf");
  CHECK(rows[0]["comm_rank_distribution"] == "any");
  const auto& rules = rows[0]["rules"];
  REQUIRE(rules.size() == 2);
  CHECK(rules[0] == nlohmann::json{{"msg_size_min", 0},
                                   {"msg_size_max", 4095},
                                   {"alg", 3},
                                   {"faninout", 0},
                                   {"seg_size", 0}});
  CHECK(rules[1]["msg_size_min"] == 65536);
  CHECK(rules[1]["msg_size_max"] == "inf");
  CHECK(rules[1]["alg"] == 5);
  CHECK(rules[1]["seg_size"] == 16384);
}

TEST_CASE("an algorithm that the release lacks is refused") {
  const TuningTable newer{"", {{1, kLast, {{0, kLast, {"native:allgather_reduce"}}}}}};
  CHECK(refusal([&] {
          open_mpi_rules(newer, k414);
        }).starts_with("unknown algorithm of Open MPI 4.1.4 'allgather_reduce'"));
  CHECK(open_mpi_rules(newer, {6, 0, 0}).find("\"alg\": 7") != std::string::npos);
  const TuningTable ours{"", {{1, kLast, {{0, kLast, {"butterfly"}}}}}};
  CHECK(refusal([&] { open_mpi_rules(ours, k414); }) ==
        "'butterfly' is not an algorithm of Open MPI: choose among native:all");
}

TEST_CASE("what makes Open MPI ignore a rules file, or abort, is found with its line") {
  const std::string good = "1\n2\n1\n4\n2\n0 3 0 0\n4096 4 0 0\n";
  CHECK(refused_rules(good).empty());
  CHECK(refused_rules("# comment\n1 # one\n2 1 4 1 0 3 0 0").empty());
  CHECK(refused_rules("") ==
        "rules file r.conf, line 1: the file ends before the number of "
        "collectives: Open MPI would ignore the whole file, or abort");
  CHECK(refused_rules("1\n2\n1\n4\n2\n0 3 0 0\n4096 4 0\n").find("ends before the segment") !=
        std::string::npos);
  CHECK(
      refused_rules("1\n2\n1\n4\n2\n0 3 0\n4096 4 0 0\n").find("line 6: a rule of fewer than 4") !=
      std::string::npos);
  CHECK(refused_rules("1\n2\n1\n4\n1\n1024 3 0 0\n").find("the first rule is not for 0 bytes") !=
        std::string::npos);
  CHECK(refused_rules("1\n2\n1\n4\n2\n0 3 0 0\n4096 7 0 0\n")
            .find("line 7: Open MPI 4.1.4 has no allreduce algorithm 7") != std::string::npos);
  CHECK(refused_rules("1\n2\n1\n4\n2\n0 3 0 0\n4096 7 0 0\n", {6, 0, 0}).empty());
  CHECK(refused_rules("1\n2\n1\n4\n2\n0 3 0 0\n010000 4 0 0\n").find("octal") != std::string::npos);
  CHECK(refused_rules("1\n2\n1\n4\n2\n0 3 0 0\n0x1000 4 0 0\n").find("not a number") !=
        std::string::npos);
  CHECK(refused_rules("1\n2\n1\n4\n3\n0 3 0 0\n8 4 0 0\n8 3 0 0\n").find("do not ascend") !=
        std::string::npos);
  CHECK(refused_rules("1\n2\n2\n4\n1\n0 3 0 0\n2\n1\n0 4 0 0\n").find("they must ascend") !=
        std::string::npos);
  CHECK(refused_rules(good + "5\n").find("do not add up") != std::string::npos);
  CHECK(refused_rules("1\n7\n1\n4\n1\n0 1 0 0\n").find("no rules of allreduce") !=
        std::string::npos);
}

TEST_CASE("the second version of the format needs a release that reads it") {
  const std::string text = "rule-file-version-2\n1\n2\n1\n4\n1\n0 3 0 0 0\n";
  CHECK(refused_rules(text).find("needs Open MPI 4.1.8 or 5.0.7") != std::string::npos);
  CHECK(refused_rules(text, {5, 0, 6}).find("but this is 5.0.6") != std::string::npos);
  CHECK(refused_rules(text, {4, 1, 8}).empty());
  CHECK(refused_rules(text, {5, 0, 7}).empty());
}
