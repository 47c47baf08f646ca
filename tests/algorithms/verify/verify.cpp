#include "algorithms/verify/verify.hpp"

#include <set>
#include <string>

#include "algorithms/verify/symbolic_state.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

Proof proof_of(const char* name, Problem p) { return verify(find_algorithm(name), p); }

// A mistake that students make: a ring in which every rank sends its own chunk in each round,
// instead of the partial sum that it received last.
Program forgetful_ring(Problem p, Rank me) {
  const Rank right = p.wrap(Count{me} + 1), left = p.wrap(Count{me} - 1);
  for (Rank s = 1; s < p.ranks; ++s)
    co_yield together(send(right, p.chunk(me)), reduce(left, p.chunk(left)));
}

// The sum travels along the ranks, and only the last rank receives the finished one.
Program half_a_relay(Problem p, Rank me) {
  if (me > 0) co_yield reduce(me - 1, p.all());
  if (me < p.ranks - 1) co_yield send(me + 1, p.all());
}

std::string read(Program (*program)(Problem, Rank), const Problem& p) {
  return verify(p, [=](Rank me) { return program(p, me); }).fault.text;
}

}  // namespace

TEST_CASE("faults of typical mistakes") {
  CHECK(read(forgetful_ring, {.ranks = 4, .elements = 4}) ==
        "rank 2, round 2, chunk 1: adding from rank 1 would count the contribution of rank "
        "1 twice");
  CHECK(read(half_a_relay, {.ranks = 3, .elements = 3}) ==
        "rank 0, at the end, chunk 0: the contribution of rank 1 is missing");
  CHECK(read(half_a_relay, {.collective = Collective::reduce, .ranks = 3, .root = 2}).empty());
  CHECK(read(half_a_relay, {.collective = Collective::broadcast, .ranks = 3}) ==
        "rank 1, round 1, chunk 0: adds to it from rank 0, but holds no value of it");
}

TEST_CASE("the bracketing shows the order of additions") {
  CHECK(proof_of("butterfly", {.ranks = 4, .elements = 4}).bracketing == "((0+1)+(2+3))");
  CHECK(proof_of("butterfly", {.ranks = 5, .elements = 5}).bracketing == "(((0+4)+1)+(2+3))");
  CHECK(proof_of("tree", {.ranks = 8, .elements = 8}).bracketing ==
        "(((0+1)+(2+3))+((4+5)+(6+7)))");
  CHECK(proof_of("ring", {.ranks = 4, .elements = 4}).bracketing == "(0+((1+2)+3))");
  CHECK(proof_of("master_worker", {.ranks = 4, .elements = 4}).bracketing == "(((0+1)+2)+3)");
  CHECK(proof_of("ring", {.ranks = 1, .elements = 4}).bracketing == "0");
  CHECK(proof_of("ring", {.ranks = 4, .elements = 0}).bracketing.empty());
}

TEST_CASE("only algorithms that add several whole arrays at once differ between ranks") {
  const std::set<std::string_view> differ{"all_to_all", "recursive_multiplying", "swing_whole",
                                          "trivance"};
  for (const Algorithm& a : algorithms())
    for (const Rank ranks : {8, 9}) {
      INFO(a.name << " on " << ranks);
      const Problem p = grouped(a, {.ranks = ranks, .elements = 2 * Count{ranks}});
      if (!unsupported(a, p).empty()) continue;
      const Proof proof = verify(a, p);
      CHECK(proof);
      CHECK(proof.same_on_all_ranks == (differ.count(a.name) == 0));
    }
}

TEST_CASE("a proof of several lanes shows the first one, and compares the ranks in all") {
  Algorithm mixed = find_algorithm("tree");
  mixed.lanes = 2;
  for (const int scattered : {0, 1}) {  // the lane in which every rank adds by itself
    mixed.program = [=](Problem p, Rank me) {
      return find_algorithm(p.lane == scattered ? "all_to_all" : "chain").program(p, me);
    };
    const Proof proof = verify(mixed, {.ranks = 4, .elements = 8});
    CHECK(proof);
    CHECK_FALSE(proof.same_on_all_ranks);
    CHECK(proof.bracketing == (scattered == 0 ? "(((0+3)+2)+1)" : "(0+(1+(2+3)))"));
  }
}

TEST_CASE("a long bracketing is cut off") {
  const std::string text = proof_of("ring", {.ranks = 200, .elements = 200}).bracketing;
  CHECK(text.size() == 403);
  CHECK(text.substr(400) == "...");
}

TEST_CASE("reduce-scatter and all-gather are proved against their own Spec") {
  for (const Collective half : {Collective::reduce_scatter, Collective::all_gather})
    CHECK(verify(find_algorithm("ring"), {.collective = half, .ranks = 5, .elements = 7}));
  // A reduce-scatter is not an allreduce.
  const Problem scatter{.collective = Collective::reduce_scatter, .ranks = 4, .elements = 4};
  Problem whole = scatter;
  whole.collective = Collective::allreduce;
  const Proof proof = verify(whole, schedule_of(find_algorithm("ring"), scatter));
  CHECK(proof.fault.kind == Fault::Kind::missing);
  CHECK(proof.fault.text == "rank 1, at the end, chunk 0: the contribution of rank 0 is missing");
}

TEST_CASE("an all-gather must end with the right value, not with any value") {
  const AllRounds script{{{send(1, {0, 1}), replace(1, {1, 1})}},
                         {{send(0, {1, 1}), replace(0, {0, 1})}}};
  const Problem p{.collective = Collective::all_gather, .ranks = 2, .elements = 2};
  CHECK(verify(p, replay(script)));
  const AllRounds short_of_one{{{send(1, {0, 1})}}, {{replace(0, {0, 1})}}};
  CHECK(verify(p, replay(short_of_one)).fault.text ==
        "rank 0, at the end, chunk 1: holds no value of it");
  const AllRounds summed{{{send(1, {0, 1}), replace(1, {1, 1})}, {reduce(1, {0, 1})}},
                         {{send(0, {1, 1}), replace(0, {0, 1})}, {send(0, {0, 1})}}};
  CHECK(verify(p, replay(summed)).fault.kind == Fault::Kind::duplicate);
}

TEST_CASE("symbols need 4 bytes per rank and chunk, and a bit per pair of ranks") {
  CHECK(symbol_bytes({.ranks = 64}) == 64 * 64 * 4 + 64 * 64 / 8);
  CHECK(symbol_bytes({.ranks = 45633}) <= 8.0 * (1 << 30));
  CHECK(symbol_bytes({.ranks = 45634}) > 8.0 * (1 << 30));
}

TEST_CASE("verify rejects too many ranks for the symbols before it starts") {
  const Problem p{.ranks = 1 << 20, .elements = 1};
  CHECK(error_text(Blame::usage, [&] { verify(find_algorithm("tree"), p); }) ==
        "verifying 1048576 ranks needs over 8 GiB of symbols: use fewer ranks");
}
