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
      const std::uint32_t size = a.sends() ? row.sent_by(r) : row.received_by(r);
      REQUIRE((a.sends() ? row.peers.target(r) : row.peers.source(r)) == a.peer);
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

Program late_pairs(Problem p, Rank me) { co_yield exchange(me < 4 ? me ^ 1 : me ^ 2, p.all()); }

Program late_rings(Problem p, Rank me) {
  const Rank to[] = {1, 2, 3, 4, 0, 6, 7, 8, 5}, from[] = {4, 0, 1, 2, 3, 8, 5, 6, 7};
  co_yield together(send(to[me], p.all()), reduce(from[me], p.all()));
}

// Pairs, then a ring of four.
Program late_senders(Problem p, Rank me) {
  const Rank to[] = {1, 0, 3, 2, 5, 6, 7, 4}, from[] = {1, 0, 3, 2, 7, 4, 5, 6};
  co_yield together(send(to[me], p.all()), reduce(from[me], p.all()));
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
  CHECK(check_rounds(find_algorithm("ring"), {.ranks = 8, .elements = 5}) == 14);  // empty chunks
  CHECK(check_rounds(find_algorithm("round_robin"), {.ranks = 9, .elements = 90}) == 16);
  CHECK(check_rounds(find_algorithm("swing"), {.ranks = 16, .elements = 160}) == 8);
}

TEST_CASE("peers that are alike on all ranks are not kept by rank") {
  const auto kind = [](const Algorithm& algorithm, Rank ranks, int row = 0) {
    ExchangeRounds rounds(algorithm, {.ranks = ranks, .elements = 10 * Count{ranks}},
                          kRoundElement);
    REQUIRE(rounds.advance());
    return rounds.row(row).peers.kind;
  };
  using Kind = Peers::Kind;
  CHECK(kind(find_algorithm("butterfly"), 32) == Kind::flip);
  CHECK(kind(find_algorithm("ring"), 31) == Kind::shift);
  CHECK(kind(find_algorithm("swing"), 32, 1) == Kind::table);
  // Flips up to rank 3, then pairs of other ranks; shifts up to rank 4, then two rings.
  CHECK(kind(tried(late_pairs), 8) == Kind::table);
  CHECK(check_rounds(tried(late_pairs), {.ranks = 8, .elements = 80}) == 1);
  CHECK(kind(tried(late_rings), 9) == Kind::table);
  CHECK(check_rounds(tried(late_rings), {.ranks = 9, .elements = 90}) == 1);
  CHECK(check_rounds(tried(late_senders), {.ranks = 8, .elements = 80}) == 1);
}

TEST_CASE("exchange rounds refuse other rounds") {
  CHECK(check_rounds(find_algorithm("tree"), {.ranks = 8, .elements = 10}) == -1);
  CHECK(check_rounds(find_algorithm("butterfly"), {.ranks = 12, .elements = 10}) == -1);
  CHECK(check_rounds(find_algorithm("all_to_all"), {.ranks = 8, .elements = 10}) == -1);
  CHECK(check_rounds(tried(different_ends), {.ranks = 4, .elements = 10}) == -1);
  CHECK(check_rounds(tried(two_kinds), {.ranks = 2, .elements = 10}) == -1);
  CHECK(check_rounds(tried(beyond), {.ranks = 2, .elements = 10}) == -1);
}
