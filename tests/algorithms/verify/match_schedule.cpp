#include "algorithms/verify/match_schedule.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

namespace {

Walk walk_of(const Script& script) {
  Visitor nobody;
  return walk({.ranks = static_cast<Rank>(script.size())}, replay(script), nobody);
}

struct Seen : Visitor {
  std::vector<std::string> events;

  Fault starts(Rank rank, Count round, Round) override { return note("starts", rank, round); }
  Fault ends(Rank rank, Count round, Count, Round) override { return note("ends", rank, round); }
  Fault meets(const End& send, const End& receive) override {
    events.push_back(at(send.rank, send.round) + " meets " + at(receive.rank, receive.round) +
                     " at " + std::to_string(receive.position));
    return {};
  }

 private:
  static std::string at(Rank rank, Count round) {
    return std::to_string(rank) + "." + std::to_string(round);
  }
  Fault note(const char* what, Rank rank, Count round) {
    events.push_back(at(rank, round) + " " + what);
    return {};
  }
};

const ChunkRange k0{0, 1}, k1{1, 1}, k2{2, 1};

}  // namespace

TEST_CASE("a visitor sees both ends of a message while their rounds run") {
  const Script script{{{send(1, k0)}, {replace(1, k0)}}, {{reduce(0, k0)}, {send(0, k0)}}};
  Seen seen;
  const Walk walked = walk({.ranks = 2}, replay(script), seen);
  CHECK_FALSE(walked.fault);
  const std::vector<std::string> expected{
      "0.1 starts", "1.1 starts",         "0.1 ends", "1.1 ends", "1.2 starts",
      "0.2 starts", "1.2 meets 0.2 at 0", "1.2 ends", "0.2 ends", "0.1 meets 1.1 at 0"};
  CHECK_THAT(seen.events, Catch::UnorderedEquals(expected));
  const auto when = [&](const std::string& event) {
    return std::find(seen.events.begin(), seen.events.end(), event) - seen.events.begin();
  };
  CHECK(when("0.1 starts") < when("0.1 meets 1.1 at 0"));
  CHECK(when("1.1 starts") < when("0.1 meets 1.1 at 0"));
  CHECK(when("0.1 meets 1.1 at 0") < when("0.1 ends"));
  CHECK(when("0.1 ends") < when("0.2 starts"));
}

TEST_CASE("rounds are the longest chain of messages, not the sum over ranks") {
  // A relay 0 -> 1 -> 2: every rank has at most two rounds, the chain has two.
  const Walk relay =
      walk_of({{{send(1, k0)}}, {{reduce(0, k0)}, {send(2, k0)}}, {{reduce(1, k0)}}});
  CHECK(relay.rounds == 2);
  CHECK(relay.rounds_of == std::vector<Count>{1, 2, 1});
  // Two pairs that know nothing of each other run side by side.
  const Walk pairs =
      walk_of({{{send(1, k0)}}, {{reduce(0, k0)}}, {{send(3, k0)}}, {{reduce(2, k0)}}});
  CHECK(pairs.rounds == 1);
}

TEST_CASE("messages of one pair meet in order, even from one round into two") {
  CHECK_FALSE(walk_of({{{send(1, k0), send(1, k1)}}, {{reduce(0, k0)}, {reduce(0, k1)}}}).fault);
  CHECK(walk_of({{{send(1, k1), send(1, k0)}}, {{reduce(0, k0)}, {reduce(0, k1)}}}).fault.kind ==
        Fault::Kind::mismatched);
}

TEST_CASE("empty programs and empty rounds are no fault") {
  CHECK_FALSE(walk_of({{}, {}}).fault);
  CHECK_FALSE(walk_of({{{}, {send(1, k0)}}, {{reduce(0, k0)}, {}}}).fault);
}

TEST_CASE("a visitor's fault ends the walk") {
  struct Stops : Visitor {
    int met = 0;
    Fault meets(const End& send, const End&) override {
      ++met;
      return {Fault::Kind::unheld, send.rank, send.round, 0, "stop"};
    }
  } stops;
  const Script script{{{send(1, k0)}, {send(1, k1)}}, {{reduce(0, k0)}, {reduce(0, k1)}}};
  CHECK(walk({.ranks = 2}, replay(script), stops).fault.text == "stop");
  CHECK(stops.met == 1);
}

TEST_CASE("every fault of a walk says who, when and what") {
  struct Example {
    Script script;
    Fault::Kind kind;
    std::string text;
  };
  const Rank huge = std::numeric_limits<Rank>::max();
  const std::vector<Example> examples{
      {{{{send(0, k0)}}, {}},
       Fault::Kind::bad_peer,
       "rank 0, round 1: send chunk 0 to rank 0, which is no other rank of 2"},
      {{{{send(2, k0)}}, {}},
       Fault::Kind::bad_peer,
       "rank 0, round 1: send chunk 0 to rank 2, which is no other rank of 2"},
      {{{}, {{reduce(-1, k0)}}},
       Fault::Kind::bad_peer,
       "rank 1, round 1: reduce chunk 0 from rank -1, which is no other rank of 2"},
      {{{{send(1, {1, 2})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send chunks 1 to 2 to rank 1, but the chunks are 0 to 1"},
      {{{{send(1, {huge, 1})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send chunk 2147483647 to rank 1, but the chunks are 0 to 1"},
      {{{{send(1, {1, huge})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send chunks 1 to 2147483647 to rank 1, but the chunks are 0 to 1"},
      {{{{send(1, {1, 0})}}, {}},
       Fault::Kind::bad_chunk,
       "rank 0, round 1: send 0 chunks to rank 1, but a message has at least one"},
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
       "round 1: waits to send chunk 0 to rank 0; and so around"},
      // Rank 0 waits for the circle of 1 and 2, but is not in it.
      {{{{reduce(1, k0)}}, {{reduce(2, k1)}, {send(0, k0)}}, {{reduce(1, k2)}}},
       Fault::Kind::deadlock,
       "deadlock with rendezvous sends: rank 1, round 1: waits to reduce chunk 1 from rank 2; rank "
       "2, round 1: waits to reduce chunk 2 from rank 1; and so around"},
  };
  for (const Example& example : examples) {
    const Fault fault = walk_of(example.script).fault;
    INFO(name(fault.kind));
    CHECK(fault.kind == example.kind);
    CHECK(fault.text == example.text);
  }
}

TEST_CASE("a send may overlap a reduce: it reads the value at the round's start") {
  const Rounds exchange_with_1{{send(1, {0, 2}), reduce(1, {0, 2})}};
  const Rounds exchange_with_0{{send(0, {0, 2}), reduce(0, {0, 2})}};
  CHECK_FALSE(walk_of({exchange_with_1, exchange_with_0}).fault);
}
