// Mutations: correct programs with one change. verify must report the right kind of fault, with a
// text that names the place.
#include <algorithm>
#include <vector>

#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using Kind = Fault::Kind;

namespace {

struct Mutation {
  const char* what;
  const char* algorithm;
  Problem problem;
  void (*apply)(AllRounds&);
  Kind kind;
  Rank rank;
  Count round;
  Rank chunk;
  const char* text;
};

Problem on(Rank ranks, Rank root = 0) { return {.ranks = ranks, .elements = 100, .root = root}; }
Problem gather(Rank ranks) {
  return {.collective = Collective::all_gather, .ranks = ranks, .elements = 100};
}

// Position i of round k (from 1, as faults count) of a rank. In a ring, 0 is the send and 1 the
// receive.
Action& at(AllRounds& s, Rank rank, std::size_t k, std::size_t i = 0) {
  return s[std::size_t(rank)][k - 1][i];
}

void erase_round(AllRounds& s, Rank rank, int k) {
  auto& rounds = s[std::size_t(rank)];
  rounds.erase(rounds.begin() + k - 1);
}

void erase_action(AllRounds& s, Rank rank, std::size_t k, int i) {
  auto& round = s[std::size_t(rank)][k - 1];
  round.erase(round.begin() + i);
}

void swap_rounds(AllRounds& s, Rank rank, std::size_t k, std::size_t l) {
  std::swap(s[std::size_t(rank)][k - 1], s[std::size_t(rank)][l - 1]);
}

// Merges rounds k and k + 1.
void merge_rounds(AllRounds& s, Rank rank, int k) {
  auto& rounds = s[std::size_t(rank)];
  for (const Action& a : rounds[std::size_t(k)]) rounds[std::size_t(k - 1)].push_back(a);
  erase_round(s, rank, k + 1);
}

// Splits each round of the rank in two: first its sends, then its receives.
void send_first(AllRounds& s, Rank rank) {
  Rounds apart;
  for (const auto& round : s[std::size_t(rank)]) {
    std::vector<Action> sends, receives;
    for (const Action& a : round) (a.sends() ? sends : receives).push_back(a);
    apart.push_back(sends);
    apart.push_back(receives);
  }
  s[std::size_t(rank)] = apart;
}

Rounds program_of(const char* algorithm, const Problem& p, Rank me) {
  return rounds_of(find_algorithm(algorithm).program(p, me));
}

const std::vector<Mutation> kMutations{
    {"wrong chunk sent", "ring", on(4),
     [](AllRounds& s) {
       at(s, 1, 2).chunks = {1, 1};
     },
     Kind::mismatched, 2, 2, 3,
     "rank 2, round 2: reduce chunk 3 from rank 1, but that rank's message (its round 2) is: send "
     "chunk 1 to rank 2"},
    {"wrong chunk received", "round_robin", on(5),
     [](AllRounds& s) {
       at(s, 3, 2, 1).chunks = {0, 1};
     },
     Kind::mismatched, 3, 2, 0,
     "rank 3, round 2: reduce chunk 0 from rank 1, but that rank's message (its round 2) is: send "
     "chunk 3 to rank 3"},
    {"wrong chunk at both ends", "ring", on(4),
     [](AllRounds& s) {
       at(s, 0, 1).chunks = at(s, 1, 1, 1).chunks = {1, 1};
     },
     Kind::duplicate, 1, 3, 1,
     "rank 1, round 3, chunk 1: adding from rank 0 would count the contribution of rank 0 "
     "twice"},
    {"part of the vector only, sent", "tree", on(8),
     [](AllRounds& s) { at(s, 6, 2).chunks.count = 7; }, Kind::mismatched, 4, 2, 0,
     "rank 4, round 2: reduce chunks 0 to 7 from rank 6, but that rank's message (its round 2) is: "
     "send chunks 0 to 6 to rank 4"},
    {"part of the vector only, at both ends", "master_worker", on(6),
     [](AllRounds& s) { at(s, 0, 1, 3).chunks.count = at(s, 4, 1).chunks.count = 5; },
     Kind::missing, 0, 0, 5, "rank 0, at the end, chunk 5: the contribution of rank 4 is missing"},
    {"missing round", "ring", on(4), [](AllRounds& s) { erase_round(s, 2, 2); }, Kind::mismatched,
     3, 2, 0,
     "rank 3, round 2: reduce chunk 0 from rank 2, but that rank's message (its round 2) is: send "
     "chunk 3 to rank 3"},
    {"missing last round", "ring", on(5), [](AllRounds& s) { erase_round(s, 4, 8); },
     Kind::unmatched, 0, 8, 1,
     "rank 0, round 8: replace chunk 1 from rank 4, but rank 4 ends its program without it"},
    {"missing round", "butterfly", on(8), [](AllRounds& s) { erase_round(s, 5, 2); },
     Kind::unmatched, 7, 2, 0,
     "rank 7, round 2: send chunks 0 to 7 to rank 5, but rank 5 ends its program without it"},
    {"missing send", "all_to_all", on(4), [](AllRounds& s) { erase_action(s, 3, 1, 2); },
     Kind::unmatched, 1, 1, 0,
     "rank 1, round 1: reduce chunks 0 to 3 from rank 3, but rank 3 ends its program without it"},
    {"missing receive", "all_to_all", on(4), [](AllRounds& s) { erase_action(s, 3, 1, 3); },
     Kind::unmatched, 1, 1, 0,
     "rank 1, round 1: send chunks 0 to 3 to rank 3, but rank 3 ends its program without it"},
    {"missing send that closes a circle", "tree", on(4), [](AllRounds& s) { erase_round(s, 3, 1); },
     Kind::deadlock, 2, 1, 0,
     "deadlock with rendezvous sends: rank 2, round 1: waits to reduce chunks 0 to 3 from rank 3; "
     "rank 3, round 1: waits to replace chunks 0 to 3 from rank 2; which closes the cycle"},
    {"missing message, at both ends", "master_worker", on(4),
     [](AllRounds& s) {
       erase_action(s, 0, 1, 1);
       erase_round(s, 2, 1);
     },
     Kind::missing, 0, 0, 0, "rank 0, at the end, chunk 0: the contribution of rank 2 is missing"},
    {"missing message to an extra rank", "butterfly", on(6),
     [](AllRounds& s) {
       erase_round(s, 1, 4);
       erase_round(s, 5, 2);
     },
     Kind::missing, 5, 0, 0, "rank 5, at the end, chunk 0: the contribution of rank 0 is missing"},
    {"doubled contribution", "butterfly", on(4),
     [](AllRounds& s) {
       s[0].push_back(s[0][0]);
       s[1].push_back(s[1][0]);
     },
     Kind::duplicate, 1, 3, 0,
     "rank 1, round 3, chunk 0: adding from rank 0 would count the contribution of rank 0 "
     "twice"},
    {"doubled contribution", "master_worker", on(3),
     [](AllRounds& s) {
       at(s, 0, 1, 1).peer = 1;
       at(s, 2, 1).peer = 1;
       s[1].insert(s[1].begin(), {reduce(2, {0, 3})});
       s[1].insert(s[1].begin() + 2, {send(0, {0, 3})});
     },
     Kind::duplicate, 0, 1, 0,
     "rank 0, round 1, chunk 0: adding from rank 1 would count the contribution of rank 1 "
     "twice"},
    {"mismatched peer", "ring", on(4), [](AllRounds& s) { at(s, 1, 2).peer = 3; }, Kind::deadlock,
     1, 2, 3,
     "deadlock with rendezvous sends: rank 1, round 2: waits to send chunk 3 to rank 3; rank 3, "
     "round 3: waits to reduce chunk 3 from rank 2; rank 2, round 2: waits to reduce chunk 3 from "
     "rank 1; which closes the cycle"},
    {"mismatched peer", "tree", on(8), [](AllRounds& s) { at(s, 3, 1).peer = 1; }, Kind::deadlock,
     0, 2, 0,
     "deadlock with rendezvous sends: rank 0, round 2: waits to reduce chunks 0 to 7 from rank 2; "
     "rank 2, round 1: waits to reduce chunks 0 to 7 from rank 3; rank 3, round 1: waits to send "
     "chunks 0 to 7 to rank 1; rank 1, round 2: waits to replace chunks 0 to 7 from rank 0; which "
     "closes the cycle"},
    {"send to itself", "round_robin", on(5), [](AllRounds& s) { at(s, 2, 3).peer = 2; },
     Kind::bad_peer, 2, 3, 0,
     "rank 2, round 3: send chunk 0 to rank 2, but the peer must be another of the 5 ranks"},
    {"peer beyond the last rank", "ring", on(6), [](AllRounds& s) { at(s, 5, 1).peer = 6; },
     Kind::bad_peer, 5, 1, 4,
     "rank 5, round 1: send chunk 4 to rank 6, but the peer must be another of the 6 ranks"},
    {"negative peer", "ring", on(6), [](AllRounds& s) { at(s, 0, 10, 1).peer = -1; },
     Kind::bad_peer, 0, 10, 1,
     "rank 0, round 10: replace chunk 1 from rank -1, but the peer must be another of the 6 ranks"},
    {"chunk beyond the last", "ring", on(7),
     [](AllRounds& s) {
       at(s, 6, 12).chunks = {7, 1};
     },
     Kind::bad_chunk, 6, 12, 7,
     "rank 6, round 12: send chunk 7 to rank 0, but the chunks are 0 to 6"},
    {"range beyond the last chunk", "butterfly", on(8),
     [](AllRounds& s) { at(s, 2, 1).chunks.count = 9; }, Kind::bad_chunk, 2, 1, 0,
     "rank 2, round 1: send 9 chunks from 0 on to rank 3, which is more than once around the 8 "
     "chunks"},
    {"range around the end", "butterfly", on(8), [](AllRounds& s) { at(s, 2, 1).chunks.first = 1; },
     Kind::mismatched, 3, 1, 0,
     "rank 3, round 1: reduce chunks 0 to 7 from rank 2, but that rank's message (its round 1) is: "
     "send chunks 1 to 7 and 0 to 0 to rank 3"},
    {"another stride", "butterfly", on(8),
     [](AllRounds& s) {
       at(s, 2, 1).chunks = {0, 4, 2};
     },
     Kind::mismatched, 3, 1, 0,
     "rank 3, round 1: reduce chunks 0 to 7 from rank 2, but that rank's message (its round 1) is: "
     "send 4 chunks from 0 in steps of 2 to rank 3"},
    {"a stride of zero", "butterfly", on(8), [](AllRounds& s) { at(s, 2, 1).chunks.stride = 0; },
     Kind::bad_chunk, 2, 1, 0,
     "rank 2, round 1: send 8 chunks from 0 in steps of 0 to rank 3, but a stride is at least 1"},
    {"no chunk", "round_robin", on(3), [](AllRounds& s) { at(s, 0, 1).chunks.count = 0; },
     Kind::bad_chunk, 0, 1, 1,
     "rank 0, round 1: send 0 chunks to rank 1, but a message has at least one chunk"},
    {"receive before send", "master_worker", on(4), [](AllRounds& s) { swap_rounds(s, 2, 1, 2); },
     Kind::deadlock, 0, 1, 0,
     "deadlock with rendezvous sends: rank 0, round 1: waits to reduce chunks 0 to 3 from rank 2; "
     "rank 2, round 1: waits to replace chunks 0 to 3 from rank 0; which closes the cycle"},
    {"receive before send", "butterfly", on(3), [](AllRounds& s) { swap_rounds(s, 2, 1, 2); },
     Kind::deadlock, 0, 1, 0,
     "deadlock with rendezvous sends: rank 0, round 1: waits to reduce chunks 0 to 2 from rank 2; "
     "rank 2, round 1: waits to replace chunks 0 to 2 from rank 0; which closes the cycle"},
    {"every rank sends first", "ring", on(4),
     [](AllRounds& s) {
       for (Rank r = 0; r < 4; ++r) send_first(s, r);
     },
     Kind::deadlock, 0, 1, 3,
     "deadlock with rendezvous sends: rank 0, round 1: waits to send chunk 3 to rank 1; rank 1, "
     "round 1: waits to send chunk 0 to rank 2; rank 2, round 1: waits to send chunk 1 to rank 3; "
     "rank 3, round 1: waits to send chunk 2 to rank 0; which closes the cycle"},
    {"two partners send first", "butterfly", on(8),
     [](AllRounds& s) {
       send_first(s, 2);
       send_first(s, 6);
     },
     Kind::deadlock, 2, 5, 0,
     "deadlock with rendezvous sends: rank 2, round 5: waits to send chunks 0 to 7 to rank 6; rank "
     "6, round 5: waits to send chunks 0 to 7 to rank 2; which closes the cycle"},
    {"steps in another order", "butterfly", on(8), [](AllRounds& s) { swap_rounds(s, 4, 1, 2); },
     Kind::duplicate, 7, 2, 0,
     "rank 7, round 2, chunk 0: adding from rank 5 would count the contribution of rank 6 "
     "twice"},
    {"steps in another order, at both ends", "ring", on(4),
     [](AllRounds& s) {
       for (Rank r = 0; r < 4; ++r) swap_rounds(s, r, 3, 4);
     },
     Kind::missing, 1, 0, 0, "rank 1, at the end, chunk 0: the contribution of rank 1 is missing"},
    {"replace instead of reduce", "butterfly", on(8),
     [](AllRounds& s) { at(s, 5, 3, 1).kind = ActionKind::replace; }, Kind::hazard, 5, 3, 0,
     "rank 5, round 3: send chunks 0 to 7 to rank 1 and replace chunks 0 to 7 from rank 1 touch "
     "the same chunk in one round, and may finish in either order"},
    {"replace instead of reduce", "tree", on(8),
     [](AllRounds& s) { at(s, 4, 2).kind = ActionKind::replace; }, Kind::missing, 0, 0, 0,
     "rank 0, at the end, chunk 0: the contribution of rank 4 is missing"},
    {"reduce instead of replace", "ring", on(4),
     [](AllRounds& s) { at(s, 0, 4, 1).kind = ActionKind::reduce; }, Kind::duplicate, 0, 4, 3,
     "rank 0, round 4, chunk 3: adding from rank 3 would count the contribution of rank 0 "
     "twice"},
    {"reduce instead of replace", "tree", on(5),
     [](AllRounds& s) { at(s, 3, 2).kind = ActionKind::reduce; }, Kind::duplicate, 3, 2, 0,
     "rank 3, round 2, chunk 0: adding from rank 2 would count the contribution of rank 3 "
     "twice"},
    {"replace overlapping a send", "tree", on(4), [](AllRounds& s) { merge_rounds(s, 2, 3); },
     Kind::hazard, 2, 3, 0,
     "rank 2, round 3: replace chunks 0 to 3 from rank 0 and send chunks 0 to 3 to rank 3 touch "
     "the same chunk in one round, and may finish in either order"},
    {"sends what it is still receiving", "ring", on(4), [](AllRounds& s) { merge_rounds(s, 1, 2); },
     Kind::missing, 0, 0, 2, "rank 0, at the end, chunk 2: the contribution of rank 0 is missing"},
    {"extra round at the end", "ring", on(4),
     [](AllRounds& s) {
       s[3].push_back({send(0, {3, 1})});
     },
     Kind::unmatched, 3, 7, 3,
     "rank 3, round 7: send chunk 3 to rank 0, but rank 0 ends its program without it"},
    {"extra round at the end", "butterfly", on(5),
     [](AllRounds& s) {
       s[4].push_back({replace(0, {0, 5})});
     },
     Kind::unmatched, 4, 3, 0,
     "rank 4, round 3: replace chunks 0 to 4 from rank 0, but rank 0 ends its program without it"},
    {"another root", "tree", on(6), [](AllRounds& s) { s[5] = program_of("tree", on(6, 1), 5); },
     Kind::deadlock, 0, 3, 0,
     "deadlock with rendezvous sends: rank 0, round 3: waits to reduce chunks 0 to 5 from rank 4; "
     "rank 4, round 1: waits to reduce chunks 0 to 5 from rank 5; rank 5, round 1: waits to reduce "
     "chunks 0 to 5 from rank 0; which closes the cycle"},
    {"another number of ranks", "ring", on(4),
     [](AllRounds& s) { s[2] = program_of("ring", on(3), 2); }, Kind::deadlock, 0, 2, 1,
     "deadlock with rendezvous sends: rank 0, round 2: waits to reduce chunk 1 from rank 3; rank "
     "3, round 1: waits to reduce chunk 1 from rank 2; rank 2, round 1: waits to send chunk 1 to "
     "rank 0; which closes the cycle"},
    {"another algorithm", "ring", on(4),
     [](AllRounds& s) { s[1] = program_of("round_robin", on(4), 1); }, Kind::mismatched, 1, 1, 1,
     "rank 1, round 1: reduce chunk 1 from rank 0, but that rank's message (its round 1) is: send "
     "chunk 3 to rank 1"},
    {"a rank that does nothing", "all_to_all", on(3), [](AllRounds& s) { s[1].clear(); },
     Kind::unmatched, 0, 1, 0,
     "rank 0, round 1: send chunks 0 to 2 to rank 1, but rank 1 ends its program without it"},
    {"sends a chunk that it does not hold", "ring", gather(4),
     [](AllRounds& s) {
       at(s, 2, 1).chunks = at(s, 3, 1, 1).chunks = {0, 1};
     },
     Kind::undefined, 2, 1, 0,
     "rank 2, round 1, chunk 0: sends it to rank 3, but holds no value of it"},
    {"adds to a chunk that it does not hold", "round_robin", gather(4),
     [](AllRounds& s) { at(s, 1, 1, 1).kind = ActionKind::reduce; }, Kind::undefined, 1, 1, 0,
     "rank 1, round 1, chunk 0: adds to it from rank 0, but holds no value of it"},
};

}  // namespace

TEST_CASE("verify reports seeded mutations with rank, round and chunk") {
  for (const Mutation& m : kMutations) {
    INFO(m.what << ", " << m.algorithm << " on " << m.problem.ranks);
    AllRounds script = script_of(find_algorithm(m.algorithm), m.problem);
    REQUIRE(verify(m.problem, replay(script)));
    m.apply(script);
    const Fault fault = verify(m.problem, replay(script)).fault;
    CHECK(name(fault.kind) == name(m.kind));
    CHECK(fault.rank == m.rank);
    CHECK(fault.round == m.round);
    CHECK(fault.chunk == m.chunk);
    CHECK(fault.text == m.text);
  }
}
