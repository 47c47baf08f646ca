// The peers and chunks of algorithms at small numbers of ranks, as their sources give them, and the
// distances that Swing and Bine trees claim.
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/rank_grid.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

struct Sent {
  Rank to;
  std::vector<Rank> chunks;
};

// What a rank sends, round by round, without rounds that only receive.
std::vector<std::vector<Sent>> sent_by(const std::string& algorithm, const Problem& p, Rank me) {
  std::vector<std::vector<Sent>> rounds;
  for (const auto& round : rounds_of(find_algorithm(algorithm).program(p, me))) {
    std::vector<Sent> sent;
    for (const Action& a : round) {
      if (!a.sends()) continue;
      sent.push_back({a.peer, {}});
      for_each_chunk(a.chunks, p.ranks, [&](Rank c) { sent.back().chunks.push_back(c); });
    }
    if (!sent.empty()) rounds.push_back(std::move(sent));
  }
  return rounds;
}

// "+4 (4), +2 (2)": the peer's distance modulo the ranks, and the number of chunks.
std::string offsets(const std::string& algorithm, Rank ranks, Rank me) {
  std::string text;
  for (const auto& round : sent_by(algorithm, {.ranks = ranks, .elements = ranks}, me))
    for (const Sent& s : round)
      text += (text.empty() ? "+" : ", +") + std::to_string((s.to - me + ranks) % ranks) + " (" +
              std::to_string(s.chunks.size()) + ")";
  return text;
}

// "r^1 (4), r^2 (2)".
std::string partners(const std::string& algorithm, Rank ranks, Rank me) {
  std::string text;
  for (const auto& round : sent_by(algorithm, {.ranks = ranks, .elements = ranks}, me))
    for (const Sent& s : round)
      text += (text.empty() ? "r^" : ", r^") + std::to_string(s.to ^ me) + " (" +
              std::to_string(s.chunks.size()) + ")";
  return text;
}

Count ring_distance(Rank a, Rank b, Rank ranks) {
  const Count d = std::abs(a - b);
  return std::min(d, ranks - d);
}

}  // namespace

TEST_CASE("rabenseifner halves with near or far partners first") {
  for (Rank r = 0; r < 8; ++r) {
    CHECK(partners("rabenseifner", 8, r) ==
          "r^1 (4), r^2 (2), r^4 (1), r^4 (1), r^2 (2), r^1 (4)");
    CHECK(partners("rabenseifner:far=yes", 8, r) ==
          "r^4 (4), r^2 (2), r^1 (1), r^1 (1), r^2 (2), r^4 (4)");
  }
}

TEST_CASE("circulant sends to half the open distance, and back") {
  for (Rank r = 0; r < 8; ++r)
    CHECK(offsets("circulant", 8, r) == "+4 (4), +2 (2), +1 (1), +7 (1), +6 (2), +4 (4)");
  for (Rank r = 0; r < 7; ++r)
    CHECK(offsets("circulant", 7, r) == "+4 (3), +2 (2), +1 (1), +6 (1), +5 (2), +3 (3)");
}

TEST_CASE("pat sends every second open chunk, the odd offsets first") {
  for (Rank r = 0; r < 8; ++r)
    CHECK(offsets("pat", 8, r) == "+1 (4), +2 (2), +4 (1), +4 (1), +6 (2), +7 (4)");
  const auto rounds = sent_by("pat", {.ranks = 8, .elements = 8}, 0);
  CHECK(rounds[0][0].chunks == std::vector<Rank>{1, 3, 5, 7});
  CHECK(rounds[1][0].chunks == std::vector<Rank>{2, 6});
}

TEST_CASE("swing's partners alternate sides") {
  std::vector<std::set<std::set<Rank>>> pairs;
  std::vector<std::size_t> chunks;
  for (Rank r = 0; r < 8; ++r) {
    const auto rounds = sent_by("swing", {.ranks = 8, .elements = 8}, r);
    REQUIRE(rounds.size() == 6);
    pairs.resize(6);
    for (std::size_t i = 0; i < 6; ++i) {
      pairs[i].insert({r, rounds[i][0].to});
      if (r == 0) chunks.push_back(rounds[i][0].chunks.size());
    }
  }
  using Pairs = std::set<std::set<Rank>>;
  CHECK(pairs[0] == Pairs{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(pairs[1] == Pairs{{0, 7}, {1, 2}, {3, 4}, {5, 6}});
  CHECK(pairs[2] == Pairs{{0, 3}, {1, 6}, {2, 5}, {4, 7}});
  CHECK(std::vector(pairs.rbegin(), pairs.rbegin() + 3) == std::vector(pairs.begin(), pairs.begin() + 3));
  CHECK(chunks == std::vector<std::size_t>{4, 2, 1, 1, 2, 4});
}

TEST_CASE("the double tree is NCCL's") {
  const auto parents = [](Rank ranks, std::int32_t lane) {
    std::map<Rank, Rank> found;
    for (Rank r = 0; r < ranks; ++r)
      for (const auto& round : rounds_of(find_algorithm("double_tree").program({.ranks = ranks, .elements = 1, .lane = lane}, r)))
        for (const Action& a : round)
          if (a.kind == ActionKind::reduce) found[a.peer] = r;
    return found;
  };
  CHECK(parents(8, 0) == std::map<Rank, Rank>{{1, 2}, {3, 2}, {5, 6}, {7, 6}, {2, 4}, {6, 4}, {4, 0}});
  CHECK(parents(8, 1) == std::map<Rank, Rank>{{0, 1}, {2, 1}, {4, 5}, {6, 5}, {1, 3}, {5, 3}, {3, 7}});
  // With an even number of ranks none has children in both trees, with an odd number only rank 0.
  for (Rank ranks = 2; ranks <= 64; ++ranks) {
    std::set<Rank> inner[2], both;
    for (const std::int32_t lane : {0, 1})
      for (const auto& [child, parent] : parents(ranks, lane)) inner[lane].insert(parent);
    for (const Rank r : inner[0])
      if (inner[1].count(r)) both.insert(r);
    CHECK(both == (ranks % 2 == 0 ? std::set<Rank>{} : std::set<Rank>{0}));
  }
}

TEST_CASE("a bine tree joins ranks a third nearer than a binomial tree") {
  const auto edges = [](const char* algorithm, Rank ranks) {
    Count sum = 0;
    for (Rank r = 0; r < ranks; ++r)
      for (const auto& round : rounds_of(find_algorithm(algorithm).program(
               {.collective = Collective::reduce, .ranks = ranks, .elements = 1}, r)))
        for (const Action& a : round)
          if (a.sends()) sum += ring_distance(r, a.peer, ranks);
    return sum;
  };
  CHECK(edges("bine_tree", 8) == 9);
  CHECK(edges("bine_tree", 16) == 23);
  CHECK(edges("bine_tree", 64) == 135);
  CHECK(edges("bine_tree", 1024) == 3527);
  CHECK(edges("tree", 8) == 12);
  CHECK(edges("tree", 16) == 32);
  CHECK(edges("tree", 64) == 192);
  CHECK(edges("tree", 1024) == 5120);
  std::map<Rank, Rank> parent;
  for (Rank r = 0; r < 8; ++r)
    for (const auto& round : sent_by("bine_tree", {.collective = Collective::reduce, .ranks = 8, .elements = 8}, r))
      parent[r] = round[0].to;
  CHECK(parent == std::map<Rank, Rank>{{1, 0}, {2, 3}, {5, 4}, {6, 7}, {4, 3}, {7, 0}, {3, 0}});
}

TEST_CASE("recursive multiplying exchanges in groups of k") {
  CHECK(offsets("recursive_multiplying:k=4", 8, 4) == "+4 (8)");
  const auto rounds = sent_by("recursive_multiplying:k=4", {.ranks = 8, .elements = 8}, 1);
  REQUIRE(rounds.size() == 2);
  std::set<Rank> group;
  for (const Sent& s : rounds[0]) group.insert(s.to);
  CHECK(group == std::set<Rank>{0, 2, 3});
  CHECK(rounds[1][0].to == 5);
  const auto of_nine = sent_by("recursive_multiplying:k=3", {.ranks = 9, .elements = 9}, 0);
  REQUIRE(of_nine.size() == 2);
  CHECK(std::set<Rank>{of_nine[0][0].to, of_nine[0][1].to} == std::set<Rank>{1, 2});
  CHECK(std::set<Rank>{of_nine[1][0].to, of_nine[1][1].to} == std::set<Rank>{3, 6});
}

TEST_CASE("trivance exchanges with both sides at distance 1, 3, 9") {
  CHECK(offsets("trivance", 9, 4) == "+1 (9), +8 (9), +3 (9), +6 (9)");
}

TEST_CASE("torus_bucket goes along the row, then along the column, then back") {
  const RankGrid grid({4, 2});
  const auto rounds = sent_by("torus_bucket", {.ranks = 8, .elements = 8, .grid = &grid}, 0);
  std::string text;
  for (const auto& round : rounds)
    text += std::to_string(round[0].to) + " (" + std::to_string(round[0].chunks.size()) + ") ";
  CHECK(text == "1 (2) 1 (2) 1 (2) 4 (1) 4 (1) 1 (2) 1 (2) 1 (2) ");
}

TEST_CASE("the hottest link of a ring carries less with swing than with rabenseifner") {
  // The chunks that cross each directed link of a ring by the shorter way; rightwards if equal.
  const auto hottest = [](const char* algorithm, Rank ranks) {
    double sum = 0;  // over rounds, in vectors
    std::map<std::size_t, std::vector<double>> load;
    for (Rank r = 0; r < ranks; ++r) {
      const auto rounds = sent_by(algorithm, {.ranks = ranks, .elements = ranks}, r);
      for (std::size_t i = 0; i < rounds.size(); ++i) {
        auto& links = load[i];
        links.resize(std::size_t(2 * ranks));
        for (const Sent& s : rounds[i]) {
          const Rank right = (s.to - r + ranks) % ranks;
          const double part = double(s.chunks.size()) / ranks;
          const auto cross = [&](Rank steps, bool rightwards) {
            for (Rank k = 0; k < steps; ++k) {
              const Rank at = rightwards ? (r + k) % ranks : (r - k + ranks) % ranks;
              links[std::size_t(2 * at + (rightwards ? 1 : 0))] += part;
            }
          };
          if (2 * right <= ranks)
            cross(right, true);
          else
            cross(ranks - right, false);
        }
      }
    }
    for (const auto& [round, links] : load) sum += *std::max_element(links.begin(), links.end());
    return sum;
  };
  CHECK(hottest("swing", 8) == Approx(2.0));
  CHECK(hottest("swing", 16) == Approx(2.375));
  CHECK(hottest("swing", 64) == Approx(3.094).margin(0.001));
  CHECK(hottest("rabenseifner", 8) == Approx(3.0));
  CHECK(hottest("rabenseifner", 16) == Approx(4.0));
  CHECK(hottest("rabenseifner", 64) == Approx(6.0));
  CHECK(hottest("rabenseifner:far=yes", 64) == Approx(42.7).margin(0.1));
}
