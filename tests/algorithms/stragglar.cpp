// The pipelined broadcast of StragglAR, and its rounds.
#include <set>

#include "algorithms/algorithm.hpp"
#include "algorithms/parts/circulant_broadcast.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;

TEST_CASE("each rank receives each piece once, and sends only what it has") {
  for (Rank ranks = 2; ranks <= 70; ++ranks)
    for (const Count pieces : {1, 2, 5, 12}) {
      INFO(ranks << " ranks, " << pieces << " pieces");
      std::vector<CirculantBroadcast> all;
      for (Rank r = 0; r < ranks; ++r) all.emplace_back(ranks, r, pieces);
      REQUIRE(all[0].rounds() == pieces - 1 + ceil_log2(ranks));
      std::vector<std::set<Count>> has(index(ranks));
      bool right = true;
      for (Count round = 0; round < all[0].rounds(); ++round) {
        std::vector<std::pair<Rank, Count>> news;
        for (Rank r = 0; r < ranks; ++r) {
          const auto step = all[index(r)].step(round);
          const auto sender = all[index(step.from)].step(round);
          right = right && sender.to == r && sender.sent == step.received;
          if (step.received < 0) continue;
          right = right && (step.from == 0 || has[index(step.from)].contains(step.received));
          right = right && !has[index(r)].contains(step.received);
          news.emplace_back(r, step.received);
        }
        for (const auto& [rank, piece] : news) has[index(rank)].insert(piece);
      }
      CHECK(right);
      CHECK(has[0].size() == static_cast<std::size_t>(pieces - 1));
      for (Rank r = 1; r < ranks; ++r)
        right = right && has[index(r)].size() == static_cast<std::size_t>(pieces);
      CHECK(right);
    }
}

TEST_CASE("the rounds after the late rank has come are those of the formula, for any pieces") {
  for (const Rank ranks : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33, 64})
    for (const int pieces : {2, 3, 7, ranks - 1, 40}) {
      if (pieces < 2) continue;
      const Problem p{.ranks = ranks, .elements = Count{ranks} * pieces};
      const Algorithm& algorithm = find_algorithm("stragglar:late=1");
      INFO(ranks << " ranks, " << pieces << " pieces");
      CHECK(count(algorithm, p, pieces).rank[1].rounds == pieces - 1 + ceil_log2(ranks));
      CHECK(verify(algorithm, p, pieces));
    }
}

TEST_CASE("stragglar wants a late rank that there is") {
  const Problem p{.ranks = 4, .elements = 1};
  CHECK(unsupported(find_algorithm("stragglar"), p).find("stragglar:late=3") != std::string::npos);
  CHECK(unsupported(find_algorithm("stragglar:late=4"), p).find("give 0 to 3") !=
        std::string::npos);
  CHECK(unsupported(find_algorithm("stragglar:late=3"), p).empty());
}
