// The printed formulas of algorithms whose switches add are what their programs send.
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/verify/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;

namespace {

struct Printed {
  std::string_view name, messages, elements;
  Count (*sent)(Count m, Count S);
  Count (*elements_sent)(Count m, Count S, Count N);
};

constexpr Printed kPrinted[] = {
    {"nvls_tree", "2m(S+1) + 4S(G-1) (S each), G = m/S nodes", "G N(S+1) + 2N(G-1)",
     [](Count m, Count S) { return 2 * m * (S + 1) + 4 * S * (m / S - 1); },
     [](Count m, Count S, Count N) { return m / S * N * (S + 1) + 2 * N * (m / S - 1); }},
    {"collnet_chain", "2m(S-1) + m (S lanes)", "2G N(S-1) + G N, G nodes of S",
     [](Count m, Count S) { return 2 * m * (S - 1) + m; },
     [](Count m, Count S, Count N) { return 2 * (m / S) * N * (S - 1) + m / S * N; }},
    {"collnet_direct", "2m(S-1) + m", "2G N(S-1) + G N, G nodes of S",
     [](Count m, Count S) { return 2 * m * (S - 1) + m; },
     [](Count m, Count S, Count N) { return 2 * (m / S) * N * (S - 1) + m / S * N; }},
    {"sharp", "m", "N m", [](Count m, Count) { return m; },
     [](Count m, Count, Count N) { return N * m; }}};

}  // namespace

TEST_CASE("printed formulas of algorithms whose switches add are what their programs send") {
  constexpr std::pair<Rank, Rank> kNodes[] = {{4, 2}, {8, 2}, {8, 4}, {12, 3}, {16, 4}, {64, 8}};
  for (const Printed& printed : kPrinted)
    for (const auto& [ranks, each] : kNodes) {
      const Algorithm& algorithm = find_algorithm(printed.name);
      CHECK(algorithm.formula.messages == printed.messages);
      CHECK(algorithm.formula.elements == printed.elements);
      const Problem p{.ranks = ranks,
                      .elements = 4 * Count{ranks} * ranks,
                      .groups = kept_groups(ranks, each, false),
                      .switches = {true, true, true}};
      INFO(printed.name << " on " << ranks << " in groups of " << each);
      const Cost counted = count(algorithm, p).all;
      CHECK(counted.messages == printed.sent(ranks, each));
      CHECK(counted.elements == printed.elements_sent(ranks, each, p.elements));
    }
}

TEST_CASE("switchml splits the vector into slots before it cuts chunks") {
  const Algorithm& switchml = find_algorithm("switchml");
  CHECK(switchml.formula.messages == "m s ceil(N/(s k)), s slots, chunks of k");
  CHECK(switchml.formula.rounds == "ceil(N/(s k))");
  constexpr Count kSlots = 32, kChunk = 4096;
  for (const Count elements : {Count{4096}, Count{1} << 17, Count{1} << 20, Count{1} << 22}) {
    const Problem p{.ranks = 2, .elements = elements, .switches = {true, true, true}};
    const Count chunks = (elements + kSlots * kChunk - 1) / (kSlots * kChunk);
    const Cost counted = count(switchml, p).all;
    CHECK(counted.messages == 2 * kSlots * chunks);
    CHECK(counted.rounds == chunks);
  }
}
