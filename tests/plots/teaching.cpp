// The lab sheet's files: the worked solution is right and costs what it claims; the file students
// start from compiles, and the tutor says about it what the sheet quotes.
#include <fstream>
#include <iterator>
#include <string>

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"

namespace arlab::catalog {
Algorithm halving();
Algorithm mine();
}  // namespace arlab::catalog

using namespace arlab;
using namespace arlab::simulator;

namespace {

Time simulated(const Algorithm& algorithm, const Problem& problem) {
  const auto network = make_network(find_model("alpha_beta"), {{"gamma", 10}}, problem.ranks);
  return simulate(algorithm, problem, 4, *network).finish;
}

}  // namespace

TEST_CASE("the worked solution is correct and matches its cost model") {
  const Algorithm solution = catalog::halving();
  for (const Rank ranks : {1, 2, 4, 8, 16, 32, 64})
    for (const Count elements : {0, 1, 5, 64, 1000}) {
      INFO("ranks " << ranks << ", elements " << elements);
      const Problem problem{.ranks = ranks, .elements = elements};
      const Proof proof = verify(solution, problem);
      INFO(proof.fault.text);
      REQUIRE(proof);
      const Counts counts = count(solution, problem);
      REQUIRE(counts.all == predicted_cost(solution, problem));
      for (Rank r = 0; r < ranks; ++r)
        REQUIRE(counts.rank[std::size_t(r)] == predicted_rank_cost(solution, problem, r));
    }
  REQUIRE(unsupported(solution, {.ranks = 6, .elements = 8}) ==
          "halving needs a power of two, not 6 ranks");
}

TEST_CASE("the worked solution takes 2 log2 P alpha + 2 (P-1)/P n beta + (P-1)/P n gamma") {
  const Problem problem{.ranks = 16, .elements = 1 << 18};
  const double bytes = 4. * (1 << 18), part = 15. / 16;
  REQUIRE(picoseconds(simulated(catalog::halving(), problem)) ==
          Approx(8 * 5e6 + 2 * part * bytes * 80 + part * bytes * 10));
}

TEST_CASE("the worked solution is fastest in the stated range of sizes") {
  const auto fastest = [](Count bytes) {
    const Problem problem{.ranks = 64, .elements = bytes / 4};
    const Time own = simulated(catalog::halving(), problem);
    for (const Algorithm& a : algorithms())
      if (unsupported(a, problem).empty() && simulated(a, problem) < own) return false;
    return true;
  };
  CHECK_FALSE(fastest(32 << 10));
  CHECK(fastest(256 << 10));
  CHECK(fastest(64 << 20));
}

TEST_CASE("the lab sheet quotes the verifier's message for the first file") {
  const Proof proof = verify(catalog::mine(), {.ranks = 2, .elements = 2});
  REQUIRE_FALSE(proof);
  std::ifstream file(ARLAB_TEACHING "/lab_sheet.md");
  const std::string sheet{std::istreambuf_iterator<char>(file), {}};
  INFO(proof.fault.text);
  CHECK(sheet.find("\n" + proof.fault.text + "\n") != std::string::npos);
}
