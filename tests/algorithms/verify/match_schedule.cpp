#include "algorithms/verify/match_schedule.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/base/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

MatchResult matched(const AllRounds& script, const MatchCallbacks& callbacks = {}) {
  return match_schedule({.ranks = static_cast<Rank>(script.size())}, replay(script), callbacks);
}

std::string at(Rank rank, Count round) { return concat(rank, ".", round); }

// Notes every event as text.
MatchCallbacks recording(std::vector<std::string>& events) {
  MatchCallbacks callbacks;
  callbacks.on_round_start = [&](Rank rank, Count round, Round) {
    events.push_back(at(rank, round) + " starts");
    return Fault{};
  };
  callbacks.on_match = [&](const End& send, const End& receive) {
    events.push_back(concat(at(send.rank, send.round), " matches ", at(receive.rank, receive.round),
                            " at ", receive.position));
    return Fault{};
  };
  callbacks.on_round_end = [&](Rank rank, Count round, Count, Round) {
    events.push_back(at(rank, round) + " ends");
    return Fault{};
  };
  return callbacks;
}

const Chunks k0{0, 1}, k1{1, 1}, k2{2, 1};

}  // namespace

TEST_CASE("callbacks see both ends of a message while their rounds run") {
  const AllRounds script{{{send(1, k0)}, {replace(1, k0)}}, {{reduce(0, k0)}, {send(0, k0)}}};
  std::vector<std::string> events;
  CHECK_FALSE(matched(script, recording(events)).fault);
  const std::vector<std::string> expected{
      "0.1 starts", "1.1 starts",           "0.1 ends", "1.1 ends", "1.2 starts",
      "0.2 starts", "1.2 matches 0.2 at 0", "1.2 ends", "0.2 ends", "0.1 matches 1.1 at 0"};
  CHECK_THAT(events, Catch::UnorderedEquals(expected));
  const auto when = [&](const std::string& event) {
    return std::find(events.begin(), events.end(), event) - events.begin();
  };
  CHECK(when("0.1 starts") < when("0.1 matches 1.1 at 0"));
  CHECK(when("1.1 starts") < when("0.1 matches 1.1 at 0"));
  CHECK(when("0.1 matches 1.1 at 0") < when("0.1 ends"));
  CHECK(when("0.1 ends") < when("0.2 starts"));
}

TEST_CASE("rounds are the longest chain of messages, not the sum over ranks") {
  // A relay 0 -> 1 -> 2: every rank has at most two rounds, the chain has two.
  const MatchResult relay =
      matched({{{send(1, k0)}}, {{reduce(0, k0)}, {send(2, k0)}}, {{reduce(1, k0)}}});
  CHECK(relay.rounds == 2);
  CHECK(relay.rank_rounds == std::vector<Count>{1, 2, 1});
  // Two independent pairs run side by side.
  const MatchResult pairs =
      matched({{{send(1, k0)}}, {{reduce(0, k0)}}, {{send(3, k0)}}, {{reduce(2, k0)}}});
  CHECK(pairs.rounds == 1);
}

TEST_CASE("messages of one pair match in order, also from one round into two") {
  CHECK_FALSE(matched({{{send(1, k0), send(1, k1)}}, {{reduce(0, k0)}, {reduce(0, k1)}}}).fault);
  CHECK(matched({{{send(1, k1), send(1, k0)}}, {{reduce(0, k0)}, {reduce(0, k1)}}}).fault.kind ==
        Fault::Kind::mismatched);
}

TEST_CASE("empty programs and empty rounds are valid") {
  CHECK_FALSE(matched({{}, {}}).fault);
  CHECK_FALSE(matched({{{}, {send(1, k0)}}, {{reduce(0, k0)}, {}}}).fault);
}

TEST_CASE("a fault from a callback ends the traversal") {
  int matches = 0;
  MatchCallbacks callbacks;
  callbacks.on_match = [&](const End& send, const End&) {
    ++matches;
    return Fault{Fault::Kind::undefined, send.rank, send.round, 0, "stop"};
  };
  const AllRounds script{{{send(1, k0)}, {send(1, k1)}}, {{reduce(0, k0)}, {reduce(0, k1)}}};
  CHECK(matched(script, callbacks).fault.text == "stop");
  CHECK(matches == 1);
}

TEST_CASE("every fault names the rank, the round and the action") {
  struct Example {
    AllRounds script;
    Fault::Kind kind;
    std::string text;
  };
  const Rank huge = std::numeric_limits<Rank>::max();
  const std::vector<Example> examples{
      {{{{send(0, k0)}}, {}},
       Fault::Kind::bad_peer,
       "rank 0, round 1: send chunk 0 to rank 0, but the peer must be another of the 2 ranks"},
      {{{{send(2, k0)}}, {}},
       Fault::Kind::bad_peer,
       "rank 0, round 1: send chunk 0 to rank 2, but the peer must be another of the 2 ranks"},
      {{{}, {{reduce(-1, k0)}}},
       Fault::Kind::bad_peer,
       "rank 1, round 1: reduce chunk 0 from rank -1, but the peer must be another of the 2 ranks"},
      {{{{send(1, {1, 3})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send 3 chunks from 1 on to rank 1, which is more than once around the 2 "
       "chunks"},
      {{{{send(1, {huge, 1})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send chunk 2147483647 to rank 1, but the chunks are 0 to 1"},
      {{{{send(1, {1, huge})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send 2147483647 chunks from 1 on to rank 1, which is more than once "
       "around "
       "the 2 chunks"},
      {{{{send(1, {1, 0})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send 0 chunks to rank 1, but a message has at least one chunk"},
      {{{{send(1, {0, 2}), replace(1, k1)}}, {}},
       Fault::Kind::hazard,
       "rank 0, round 1: send chunks 0 to 1 to rank 1 and replace chunk 1 from rank 1 touch the "
       "same chunk in one round, and may finish in either order"},
      {{{{reduce(1, k0), replace(1, k0)}}, {}},
       Fault::Kind::hazard,
       "rank 0, round 1: reduce chunk 0 from rank 1 and replace chunk 0 from rank 1 touch the "
       "same chunk in one round, and may finish in either order"},
      {{{{send(1, k0)}}, {}},
       Fault::Kind::unmatched,
       "rank 0, round 1: send chunk 0 to rank 1, but rank 1 ends its program without it"},
      {{{{send(1, k0)}}, {{reduce(0, k1)}}},
       Fault::Kind::mismatched,
       "rank 1, round 1: reduce chunk 1 from rank 0, but that rank's message (its round 1) is: "
       "send chunk 0 to rank 1"},
      {{{{send(1, k0)}, {reduce(1, k0)}}, {{send(0, k0)}, {reduce(0, k0)}}},
       Fault::Kind::deadlock,
       "deadlock with rendezvous sends: rank 0, round 1: waits to send chunk 0 to rank 1; rank 1, "
       "round 1: waits to send chunk 0 to rank 0; which closes the cycle"},
      // Rank 0 waits for the cycle of 1 and 2, but is not in it.
      {{{{reduce(1, k0)}}, {{reduce(2, k1)}, {send(0, k0)}}, {{reduce(1, k2)}}},
       Fault::Kind::deadlock,
       "deadlock with rendezvous sends: rank 1, round 1: waits to reduce chunk 1 from rank 2; rank "
       "2, round 1: waits to reduce chunk 2 from rank 1; which closes the cycle"},
  };
  for (const Example& example : examples) {
    const Fault fault = matched(example.script).fault;
    INFO(name(fault.kind));
    CHECK(fault.kind == example.kind);
    CHECK(fault.text == example.text);
  }
}

TEST_CASE("a send may overlap a reduce: it reads the value at the round's start") {
  const Rounds exchange_with_1{{send(1, {0, 2}), reduce(1, {0, 2})}};
  const Rounds exchange_with_0{{send(0, {0, 2}), reduce(0, {0, 2})}};
  CHECK_FALSE(matched({exchange_with_1, exchange_with_0}).fault);
}
