// Launches: the words of their jobs, and verdicts with the launch as the unit.
#include "bench/run/launches.hpp"

#include <map>

#include "bench/run/launch_table.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Json measured(const std::string& algorithm, double us) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = 4, .elements = 256};
  r.wrong = 0;
  r.body = RunBody{.backend = "mpi", .time_us = Summary{20, us, us * 0.99, us * 1.01, us, us}};
  return to_json(r);
}

// Of `launches`, ring takes 100, 101, ... us, and tree so much more.
std::vector<std::vector<Json>> launches_of(int launches, double more) {
  std::vector<std::vector<Json>> all;
  for (int i = 0; i < launches; ++i)
    all.push_back({measured("ring", 100 + i), measured("tree", 100 + i + more)});
  return all;
}

std::string verdicts_of(const std::vector<std::vector<Json>>& launches) {
  std::string all;
  for (const LaunchRow& row : rows_of_launches(launches))
    all += row.record["algorithm"].get<std::string>() + " " + row.verdict + "; ";
  return all;
}

}  // namespace

TEST_CASE("launches: the launcher has the number of ranks") {
  CHECK(launcher_words("srun --mpi=pmix -n{} -N 1", 8) ==
        std::vector<std::string>{"srun", "--mpi=pmix", "-n8", "-N", "1"});
  CHECK_THROWS(launcher_words("mpirun", 8));
}

TEST_CASE("launches: options of all launches are not those of one") {
  CHECK(without_options({"arlab", "run", "ring", "-p", "4", "--launches=3", "-o", "x", "-s1K"},
                        {"--launches", "-o", "-p"}) ==
        std::vector<std::string>{"arlab", "run", "ring", "-s1K"});
  CHECK(without_options({"arlab", "run", "-o", "x", "--", "-o", "ring"}, {"-o"}) ==
        std::vector<std::string>{"arlab", "run", "--", "-o", "ring"});
  CHECK(without_options({"--place", "in", "-p4"}, {"-p"}) ==
        std::vector<std::string>{"--place", "in"});
}

TEST_CASE("launches: verdicts come from the medians of the launches") {
  // However narrow the intervals within a launch are, one launch says nothing about the next.
  CHECK(verdicts_of(launches_of(3, 20)) == "ring not enough launches; tree not enough launches; ");
  CHECK(verdicts_of(launches_of(5, 20)) == "ring fastest; tree slower; ");
  CHECK(verdicts_of(launches_of(5, 1)) == "ring tie; tree tie; ");
}

TEST_CASE("launches: a row has the median of the medians, and both spreads") {
  const auto rows = rows_of_launches(launches_of(5, 20));
  CHECK(rows.front().medians_us == std::vector<double>{100, 101, 102, 103, 104});
  CHECK(rows.front().within == Approx(0.01));
  const std::string text = show_table(table_of_launches(rows), {}, {});
  CHECK(text.find("| ring      |     4 | 1 KiB | 102 us |") != std::string::npos);
  CHECK(text.find("no CI of 5, range 100 us to 104 us") != std::string::npos);
}

TEST_CASE("launches: a file's launches of one command are one measurement") {
  Results file;
  const auto add = [&](const char* command, const char* launch, const std::vector<Json>& records) {
    file.contexts.push_back({{"command", command}, {"host", "n1"}, {"launch", launch}});
    for (Json record : records) {
      record["context"] = file.contexts.size() - 1;
      file.records.push_back(std::move(record));
    }
  };
  int number = 0;
  for (const std::vector<Json>& launch : launches_of(5, 20))
    add("arlab run ring,tree --launches 5", std::to_string(number++).c_str(), launch);
  add("arlab run pat", "once", {measured("pat", 50)});
  const std::vector<Json> joined = over_launches(file);
  REQUIRE(joined.size() == 3);
  std::map<std::string, Json> of;
  for (const Json& record : joined) of[record["algorithm"].get<std::string>()] = record["time_us"];
  CHECK(of["ring"]["median"] == 102);
  CHECK(of["ring"]["n"] == 5);
  CHECK(of["tree"]["median"] == 122);
  CHECK(of["pat"]["n"] == 20);
}

TEST_CASE("launches: records of several commands keep the order of their file") {
  Results file;
  for (const auto& [command, us] : {std::pair("z", 1.0), {"a", 2.0}, {"z", 3.0}, {"b", 4.0}}) {
    file.contexts.push_back({{"command", command}, {"host", "n1"}});
    file.records.push_back(measured(command == std::string("z") ? "ring" : "tree", us));
    file.records.back()["context"] = file.contexts.size() - 1;
  }
  std::vector<double> medians;
  for (const Json& record : over_launches(file)) medians.push_back(record["time_us"]["median"]);
  CHECK(medians == std::vector<double>{2, 2, 4});  // launches of z end behind a
}
