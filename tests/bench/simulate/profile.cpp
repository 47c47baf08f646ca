// Profiles of programs: what is read, and the sum over their calls.
#include "bench/simulate/profile.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

namespace {

std::string line(int ranks, Bytes bytes, int calls, double seconds) {
  return Json{{"kind", "profile"},
              {"ranks", ranks},
              {"bytes", bytes},
              {"dtype", "float32"},
              {"op", "sum"},
              {"ran", "mpi"},
              {"calls", calls},
              {"collective", "allreduce"},
              {"least_rank_s", seconds},
              {"most_rank_s", seconds}}
             .dump() +
         "\n";
}

Record simulated(const char* algorithm, Bytes bytes, double us) {
  Record r;
  SimulateBody body;
  body.model = "alpha_beta";
  body.modelled_us = us;
  r.body = body;
  r.algorithm = algorithm;
  r.problem = {.ranks = 64, .elements = bytes / 4};
  return r;
}

}  // namespace

TEST_CASE("a profile sums the simulated time of all its calls") {
  const Folder folder;
  Profile profile(folder.with("p.jsonl", line(4, 1024, 10, 1e-3) + line(2, 8, 1000, 2e-3) + "\n" +
                                             line(4, 1024, 5, 1e-3) + line(4, 0, 7, 1e-6) +
                                             line(4, 6, 1, 1e-6)));
  CHECK(profile.sizes() == std::vector<std::string>{"8", "1024"});
  CHECK(profile.ranks() == 4);
  profile.add(simulated("ring", 1024, 100));
  profile.add(simulated("ring", 8, 3));
  profile.add(simulated("tree", 1024, 50));
  profile.add(simulated("ring", 77, 1e9));  // not of the profile
  const std::string table = profile.table();
  CHECK_THAT(table,
             contains("All 1,015 calls of the profile (2 sizes), which took 4 ms on 4 ranks"));
  CHECK_THAT(table,
             contains("| ring      |    64 | alpha_beta | 4.5 ms "));  // 15 x 100 + 1000 x 3 us
  CHECK_THAT(table, contains("| tree      |    64 | alpha_beta | some sizes skipped |"));
  CHECK_THAT(table, contains("Left out: 8 calls"));
}

TEST_CASE("what is not a profile is refused with its line") {
  const Folder folder;
  const auto read = [&](const std::string& text) { Profile(folder.with("p.jsonl", text)); };
  CHECK_THROWS_WITH(read(""), contains("has no calls"));
  CHECK_THROWS_WITH(read(line(2, 8, 1, 1) + "{\"kind\":\"run\"}\n"), contains("p.jsonl line 2"));
  CHECK_THROWS_WITH(read("nonsense"), contains("line 1"));
  CHECK_THROWS_WITH(read(line(2, -8, 1, 1)), contains("line 1"));
  CHECK_THROWS_WITH(read(line(2, 8, 0, 1)), contains("line 1"));
  CHECK_THROWS_WITH(read(line(0, 8, 1, 1)), contains("line 1"));
  CHECK_THROWS_WITH(Profile(folder.file("none")), contains("none"));
}
