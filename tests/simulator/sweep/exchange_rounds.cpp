#include "simulator/sweep/exchange_rounds.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr Bytes kRoundElement = 4;

// Compares the row with the rounds of the programs, one per rank.
void check_row(const ExchangeRounds& rounds, int k, const Problem& p,
               std::vector<Program>& programs) {
  const ExchangeRounds::Row row = rounds.row(k);
  for (Rank r = 0; r < p.ranks; ++r) {
    Program& program = programs[index(r)];
    REQUIRE(program.next());
    REQUIRE(program.round().size() == 2);
    for (const Action& a : program.round()) {
      const std::uint32_t size = a.sends() ? (row.sent ? row.sent[r] : row.all_sent)
                                           : (row.received ? row.received[r] : row.all_received);
      REQUIRE((a.sends() ? row.targets : row.sources)[r] == a.peer);
      REQUIRE(rounds.sizes()[size] == p.blocks().size(a.chunks) * kRoundElement);
      REQUIRE((static_cast<std::uint32_t>(r ^ a.peer) & ~row.reach) == 0);
      if (!a.sends()) REQUIRE(row.reduces == (a.kind == ActionKind::reduce));
    }
  }
}

// Returns the number of rounds, or -1 if they are not all exchanges.
Count check_rounds(const Algorithm& algorithm, const Problem& p) {
  ExchangeRounds rounds(algorithm, p, kRoundElement);
  std::vector<Program> programs;
  for (Rank r = 0; r < p.ranks; ++r) programs.push_back(algorithm.program(p, r));
  Count checked = 0;
  for (;;) {
    const std::optional<int> more = rounds.advance();
    if (!more) return -1;
    if (*more == 0) break;
    for (int k = 0; k < *more; ++k) check_row(rounds, k, p, programs);
    checked += *more;
  }
  for (Program& program : programs) REQUIRE_FALSE(program.next());
  return checked;
}

Program different_ends(Problem p, Rank me) {
  const Rank other = me ^ 1;
  for (int k = 0; k < (me < 2 ? 1 : 2); ++k) co_yield exchange(other, p.all());
}

Program two_kinds(Problem p, Rank me) {
  const Rank other = me ^ 1;
  if (me == 0)
    co_yield together(send(other, p.all()), replace(other, p.all()));
  else
    co_yield together(reduce(other, p.all()), send(other, p.all()));
}

Program beyond(Problem p, Rank me) { co_yield exchange(me + 1, p.all()); }

}  // namespace

TEST_CASE("exchange rounds are those of the programs") {
  CHECK(check_rounds(find_algorithm("butterfly"), {.ranks = 32, .elements = 10}) == 5);
  CHECK(check_rounds(find_algorithm("rabenseifner"), {.ranks = 16, .elements = 160}) == 8);
  // More than a window; equal and unequal chunks.
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 31, .elements = 310}) == 60);
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 31, .elements = 100}) == 60);
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 13, .elements = 130}) ==
        ExchangeRounds::kWindow);
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 1, .elements = 100}) == 0);
}

TEST_CASE("exchange rounds refuse other rounds") {
  CHECK(check_rounds(find_algorithm("tree"), {.ranks = 8, .elements = 10}) == -1);
  CHECK(check_rounds(find_algorithm("butterfly"), {.ranks = 12, .elements = 10}) == -1);
  CHECK(check_rounds(find_algorithm("all_to_all"), {.ranks = 8, .elements = 10}) == -1);
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 8, .elements = 5}) == -1);  // empty chunks
  CHECK(check_rounds(tried(different_ends), {.ranks = 4, .elements = 10}) == -1);
  CHECK(check_rounds(tried(two_kinds), {.ranks = 2, .elements = 10}) == -1);
  CHECK(check_rounds(tried(beyond), {.ranks = 2, .elements = 10}) == -1);
}
