#include "bench/study/answers.hpp"

#include "bench/results/schema.hpp"
#include "bench/study/answer_parts.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

std::string said_about(const std::vector<Json>& records) {
  std::string text;
  for (const std::string& sentence : answers(records)) text += sentence + "\n";
  return text;
}

Json proof(const std::string& algorithm, Rank ranks, Count wrong = 0) {
  Record r;
  r.algorithm = algorithm;
  r.problem.ranks = ranks;
  r.wrong = wrong;
  r.body = VerifyBody{};
  return to_json(r);
}

Json skipped(const std::string& algorithm, Rank ranks, const std::string& why) {
  Json record = proof(algorithm, ranks);
  record["wrong"] = nullptr;
  record["skipped"] = why;
  return record;
}

Json simulated(const std::string& algorithm, Rank ranks, Count elements, double us) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = ranks, .elements = elements};
  r.body = SimulateBody{.topology = "crossbar", .model = "alpha_beta", .modelled_us = us};
  return to_json(r);
}

// A measured row; `ratio`: of the library's time to it, 0 for the library itself, below 0 without.
Json measured(const std::string& algorithm, Count elements, double us, double ratio, double p,
              Count n = 100) {
  Record r;
  r.algorithm = algorithm;
  r.problem = {.ranks = 4, .elements = elements};
  r.wrong = 0;
  RunBody body{.backend = "mpi", .time_us = Summary{n, us, us, us, us, us}};
  if (ratio >= 0) body.library = "MPI_Allreduce";
  if (ratio > 0) body.library_ratio = ratio, body.library_rank_sum_p = p;
  if (ratio == 0) body.library_ratio = 1;
  if (ratio < 0) body.rank_sum_p = p;
  r.family = ratio == 0 ? "native" : "";
  r.body = body;
  return to_json(r);
}

}  // namespace

TEST_CASE("answers: spans have a name in common") {
  using Names = std::vector<std::string>;
  const std::vector<Names> names{{"a", "b"}, {"b", "c"}, {"c"}, {"c", "a"}};
  const std::vector<AnswerSpan> spans = spans_of(names);
  REQUIRE(spans.size() == 2);
  CHECK((spans[0].first == 0 && spans[0].last == 1 && spans[0].names == Names{"b"}));
  CHECK((spans[1].first == 2 && spans[1].last == 3 && spans[1].names == Names{"c"}));
  CHECK(spans_of({}).empty());
  CHECK(either({"a"}) == "a");
  CHECK(either({"a", "b", "c"}) == "a, b or c");
  CHECK(either({"a", "b"}, "and") == "a and b");
  CHECK(either({"a", "b", "c", "d"}) == "a, b and 2 others");
}

TEST_CASE("answers: no records, no sentences") { CHECK(answers({}).empty()); }

TEST_CASE("answers: proofs are all right, or the wrong ones are named") {
  CHECK(said_about({proof("ring", 2), proof("tree", 8)}) ==
        "2 proofs, all right: 2 algorithms on 2 to 8 ranks.\n");
  CHECK(said_about({proof("ring", 1)}) == "1 proof, right: ring on 1 rank.\n");
  CHECK(said_about(
            {proof("ring", 2), proof("tree", 8, 1), skipped("trivance", 5, "needs 3, 9, ...")}) ==
        "1 of 2 proofs WRONG: tree on 8 ranks.\n"
        "1 configuration skipped: trivance 1 (needs 3, 9, ...).\n");
}

TEST_CASE("answers: counts agree with claims") {
  Record r;
  r.algorithm = "ring";
  r.problem.ranks = 7;
  r.wrong = 0;
  CHECK(said_about({to_json(r)}) ==
        "1 configuration, claimed = counted in all: messages, elements sent, and rounds: ring on 7 "
        "ranks.\n");
}

TEST_CASE("answers: what has no formula is only counted") {
  Record r;
  r.algorithm = "file:mine.py";
  r.problem.ranks = 4;
  CHECK(said_about({to_json(r)}) ==
        "1 configuration, counted only, without a formula: file:mine.py on 4 ranks.\n");
}

TEST_CASE("answers: simulated winners by range of sizes, equal times together") {
  const std::vector<Json> records{simulated("ring", 8, 256, 9),   simulated("tree", 8, 256, 5),
                                  simulated("pat", 8, 256, 5),    simulated("ring", 8, 512, 10),
                                  simulated("tree", 8, 512, 8),   simulated("pat", 8, 512, 9),
                                  simulated("ring", 8, 1024, 11), simulated("tree", 8, 1024, 12),
                                  simulated("pat", 8, 1024, 12)};
  CHECK(said_about(records) ==
        "Fastest on 8 ranks: tree from 1 KiB to 2 KiB; ring at 4 KiB (at 4 KiB, 11 us).\n");
}

TEST_CASE("answers: many numbers of ranks are counted as cases") {
  std::vector<Json> records;
  for (const Rank ranks : {2, 4, 8, 16})
    for (const Count elements : {256, 1024}) {
      records.push_back(simulated("ring", ranks, elements, elements > 512 ? 5 : 20));
      records.push_back(simulated("tree", ranks, elements, 10));
    }
  CHECK(said_about(records) ==
        "Fastest of 8 cases, 2 to 16 ranks: ring in 4; tree in 4.\n"
        "Fastest on 16 ranks: tree at 1 KiB; ring at 4 KiB (at 4 KiB, 5 us).\n");
  std::erase_if(records, [](const Json& record) { return record["elements"] == 256; });
  records[0]["modelled_us"] = 30;
  CHECK(said_about(records) ==
        "Fastest at 4 KiB: tree on 2 ranks; ring on 4 to 16 ranks (at 16 ranks, 5 us).\n");
}

TEST_CASE("answers: records of others may lack whatever the schema lets them lack") {
  for (const Json& whole :
       {simulated("ring", 4, 256, 3), measured("ring", 256, 10, 1.3, 0.2), proof("ring", 4, 0)}) {
    std::size_t readable = 0;
    for (const auto& [key, value] : whole.items()) {
      Json record = whole;
      record[key] = nullptr;
      if (!make_readable(record).empty()) continue;
      ++readable;
      INFO(key << " of " << whole["kind"]);
      CHECK_NOTHROW(said_about({record, whole}));
    }
    CHECK(readable > 10);
  }
}

TEST_CASE("answers: one simulated algorithm has no rival") {
  CHECK(said_about({simulated("ring", 1, 256, 3)}) == "ring on 1 rank, 1 KiB: 3 us.\n");
  CHECK(said_about({simulated("ring", 2, 256, 3), simulated("ring", 2, 512, 4)}) ==
        "ring from 2 ranks, 1 KiB: 3 us, to 2 ranks, 2 KiB: 4 us.\n");
}

TEST_CASE("answers: networks of one algorithm are compared, and equal ones are called equal") {
  const auto on = [](const char* network, double us, Json groups) {
    Json record = simulated("ring", 8, 256, us);
    record["topology"] = network;
    record["groups"] = std::move(groups);
    return record;
  };
  CHECK(said_about({on("crossbar", 3, nullptr), on("leaf_spine", 4.5, 2)}) ==
        "ring on 8 ranks, 1 KiB: the fastest is crossbar (3 us), the slowest leaf_spine, 1.50 "
        "times as long.\n");
  CHECK(said_about({on("crossbar", 3, nullptr), on("torus", 3, nullptr)}) ==
        "ring on 8 ranks, 1 KiB: the same time of 3 us, with crossbar and torus.\n");
  CHECK(said_about({on("crossbar", 3, nullptr), on("torus", 3.01, nullptr)}) ==
        "ring on 8 ranks, 1 KiB: nearly the same time of 3 us, with crossbar and torus.\n");
  // Groups that the network does not tell are named, with their unit.
  CHECK(said_about({on("crossbar", 3, 2), on("crossbar", 6, 4)}) ==
        "ring on 8 ranks, 1 KiB: the fastest is 2 groups (3 us), the slowest 4 groups, 2.00 times "
        "as long.\n");
  Json late = on("crossbar", 6, nullptr);
  late["disturbance"] = "late=3:3us";
  CHECK(said_about({on("crossbar", 3, nullptr), late}) ==
        "ring on 8 ranks, 1 KiB: the fastest is no disturbance (3 us), the slowest late=3:3us, "
        "2.00 times as long.\n");
}

TEST_CASE("answers: measured rows beside the library, and a verdict on it") {
  const std::vector<Json> records{
      measured("MPI_Allreduce", 256, 13, 0, 1),  measured("ring", 256, 10, 1.3, 1e-9),
      measured("MPI_Allreduce", 512, 18, 0, 1),  measured("ring", 512, 10, 1.8, 1e-9),
      measured("MPI_Allreduce", 1024, 10, 0, 1), measured("ring", 1024, 10.1, 0.99, 0.6)};
  CHECK(said_about(records) ==
        "6 measured configurations, all results right: ring on 4 ranks.\n"
        "4 ranks, 1 KiB to 2 KiB: ring, 1.30 to 1.80 times faster than MPI_Allreduce (p < 0.001).\n"
        "4 ranks, 4 KiB: nothing is faster than MPI_Allreduce.\n"
        "Verdict on MPI_Allreduce, 4 ranks: beaten at 2 of 3 sizes, most at 2 KiB, where ring is "
        "1.80 times faster.\n");
}

TEST_CASE("answers: an insignificant difference is no verdict, and few runs are none") {
  CHECK(said_about({measured("MPI_Allreduce", 256, 13, 0, 1), measured("ring", 256, 10, 1.3, 0.2)})
            .find("Verdict on MPI_Allreduce, 4 ranks: nothing is faster at the one size.") !=
        std::string::npos);
  const std::string few = said_about(
      {measured("MPI_Allreduce", 256, 13, 0, 1, 2), measured("ring", 256, 10, 1.3, 0.3, 2)});
  CHECK(few.find("4 ranks, 1 KiB: too few runs for a verdict") != std::string::npos);
  CHECK(few.find("none, since the runs are too few") != std::string::npos);
}

TEST_CASE("answers: runs are too few for as many tests as there are") {
  // Five runs each have a p of 0.008 at least, which is 0.05 and more among seven tests.
  std::vector<Json> records;
  for (const int elements : {1, 2, 3, 4, 5, 6, 7}) {
    records.push_back(measured("MPI_Allreduce", elements, 20, 0, 1, 5));
    records.push_back(measured("ring", elements, 10, 2, 0.008, 5));
  }
  CHECK(said_about(records).find("none, since the runs are too few") != std::string::npos);
  CHECK(said_about({records.begin(), records.begin() + 4}).find("2.00 times faster") !=
        std::string::npos);
}

TEST_CASE("answers: a row without a test is the fastest only if it is") {
  Json untested = measured("tree", 256, 2.4, 0.2, 1e-9),
       native = measured("MPI_Allreduce", 256, 2.5, 0, 1);
  untested["library_ratio"] = nullptr;  // of another time than the library's row
  untested["library_rank_sum_p"] = nullptr;
  const std::string text = said_about({measured("ring", 256, 2.3, 2.5 / 2.3, 1e-9), untested,
                                       native, measured("all_to_all", 256, 1.4, 2.5 / 1.4, 1e-9)});
  CHECK(text.find("all_to_all, 1.79 times faster than MPI_Allreduce") != std::string::npos);
  Json ring = measured("ring", 256, 10, -1, 1), tree = measured("tree", 256, 20, -1, 1);
  ring["rank_sum_p"] = tree["rank_sum_p"] = nullptr;
  CHECK(said_about({ring, tree}).find("4 ranks, 1 KiB: ring is the fastest.") != std::string::npos);
}

TEST_CASE("answers: without a library the fastest are named, and wrong results do not count") {
  CHECK(said_about({measured("ring", 256, 10, -1, 1), measured("tree", 256, 20, -1, 1e-9)}) ==
        "2 measured configurations, all results right: 2 algorithms on 4 ranks.\n"
        "4 ranks, 1 KiB: ring is the fastest.\n");
  CHECK(said_about({measured("ring", 256, 10, -1, 1), measured("tree", 256, 11, -1, 0.9)})
            .find("4 ranks, 1 KiB: no difference between ring and tree, the fastest.") !=
        std::string::npos);
  Json wrong = measured("ring", 256, 10, -1, 1);
  wrong["wrong"] = 3;
  CHECK(said_about({wrong, measured("tree", 256, 20, -1, 1)}) ==
        "1 of 2 measured configurations WRONG: ring on 4 ranks.\n");
}
