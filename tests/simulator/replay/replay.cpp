#include "simulator/replay/replay.hpp"

#include <string>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// A message of 11 bytes from an idle rank to an idle rank takes 10 + 100 + 10 + 10.
const Values kPlain{{"L", 100}, {"o", 10}, {"g", 0}, {"G", 1}, {"gamma", 0}};

Operation sent(Rank to, Count tag = 0, Bytes bytes = 11) {
  return {.kind = Operation::Kind::send, .peer = to, .bytes = bytes, .tag = tag, .line = 1};
}
Operation received(Rank from, Count tag = 0, Bytes bytes = 11) {
  return {.kind = Operation::Kind::receive, .peer = from, .bytes = bytes, .tag = tag, .line = 2};
}
Operation computed(Time duration) { return {.duration = duration, .line = 3}; }

ReplayResult played(const TraceGraph& trace, std::string_view model = "loggops",
                    const Values& values = kPlain) {
  const auto network =
      make_network(find_model(model), values, static_cast<Rank>(trace.ranks.size()));
  return replay(trace, *network);
}

std::string fault(Blame blame, const TraceGraph& trace) {
  return error_text(blame, [&] { played(trace); });
}

}  // namespace

TEST_CASE("replay: computations delay what requires them, and share the processor with messages") {
  // Rank 0 computes for 50, then sends; rank 1 computes for 1000 and may receive meanwhile.
  TraceGraph trace{
      {{{computed(50_ps), sent(1)}, {{0, 1, false}}}, {{computed(1000_ps), received(0)}, {}}}};
  ReplayResult result = played(trace);
  CHECK(result.finish_of == std::vector<Time>{60_ps, 1020_ps});
  CHECK(result.finish == 1020_ps);
  CHECK(result.messages == 1);
  CHECK(result.bytes == 11);
  trace.ranks[1].operations.erase(trace.ranks[1].operations.begin());
  CHECK(played(trace).finish == 50_ps + 130_ps);
  trace.ranks[0].dependencies[0].with_start = true;  // the send waits for the processor only
  CHECK(played(trace).finish == 50_ps + 130_ps);
}

TEST_CASE("replay: computations end in order of time, and messages start in between") {
  // Rank 1 sends at 30, before it receives at 120; the first operation of all computes for long.
  const TraceGraph trace{{{{computed(1000_ps)}, {}},
                          {{computed(30_ps), sent(2), received(3)}, {{0, 1, false}}},
                          {{received(1)}, {}},
                          {{sent(1)}, {}}}};
  CHECK(played(trace).finish_of == std::vector<Time>{1000_ps, 130_ps, 160_ps, 10_ps});
}

TEST_CASE("replay: a message without bytes takes the time of one byte") {
  const TraceGraph trace{{{{sent(1, 0, 0)}, {}}, {{received(0, 0, 0)}, {}}}};
  const ReplayResult result = played(trace);
  CHECK(result.finish == 120_ps);
  CHECK(result.messages == 1);
  CHECK(result.bytes == 0);
}

TEST_CASE("replay matches messages by source, target and tag, each in order") {
  // The second tag is received first, although it is sent last.
  const TraceGraph trace{{{{sent(1, 1), sent(1, 1, 21), sent(1, 2)}, {}},
                          {{received(0, 2), received(0, 1), received(0, 1), computed(5_ps)},
                           {{0, 1, false}, {1, 2, false}, {2, 3, false}}}}};
  const ReplayResult result = played(trace);
  CHECK(result.messages == 3);
  CHECK(result.bytes == 43);
  CHECK(result.finish == 185_ps);
}

TEST_CASE("replay under a model of exclusive ports waits for both ends") {
  const TraceGraph trace{{{{sent(1)}, {}}, {{computed(70_ps), received(0)}, {{0, 1, false}}}}};
  CHECK(played(trace, "alpha_beta", {{"alpha", 100}, {"beta", 2}}).finish == 70_ps + 122_ps);
}

// Rank 1 is busy with both messages until 24.999 us. Its own is known since 4 us, so it goes before
// the second one, which was sent at 20.499 us, is received. As LogGOPSim has it.
TEST_CASE("replay: what a receive releases has its place since that receive began") {
  const TraceGraph trace{
      {{{received(1, 0, 20'000)}, {}},
       {{received(2, 0, 20'000), sent(0, 0, 20'000), received(2, 1, 20'000)}, {{0, 1, false}}},
       {{sent(1, 0, 20'000), sent(1, 1, 20'000)}, {}}}};
  const Values machine{{"L", 3e6}, {"o", 1e6}, {"g", 5e5}, {"G", 1000}, {"S", 1e9}};
  CHECK(played(trace, "loggops", machine).finish == 49'998'000_ps);
}

TEST_CASE("replay: few ranks of many wake at one time") {
  constexpr Rank kRanks = 3000, kPairs = 16;
  TraceGraph trace{std::vector<RankGraph>(kRanks)};
  for (Rank r = kRanks - kPairs; r < kRanks; ++r) {
    trace.ranks[index(r)] = {{sent(r - kPairs), sent(r - kPairs, 1)}, {}};
    trace.ranks[index(r - kPairs)] = {{received(r), received(r, 1)}, {}};
  }
  CHECK(played(trace).messages == 2 * kPairs);
}

TEST_CASE("replay refuses wrong traces") {
  CHECK(fault(Blame::usage, {}) == "the trace has no ranks: give num_ranks at least 1");
  CHECK(fault(Blame::usage, {{{{sent(1)}, {}}, {}}}) ==
        "line 1: a send from rank 0 to rank 1 with tag 0 has no recv: add it");
  CHECK(fault(Blame::usage, {{{}, {{received(0, 3)}, {}}}}) ==
        "line 2: a recv from rank 0 to rank 1 with tag 3 has no send: add it");
  CHECK(fault(Blame::usage, {{{{sent(0)}, {}}, {}}}) ==
        "line 1: a message between rank 0 and rank 0: give another rank from 0 to 1");
  CHECK(fault(Blame::usage, {{{{computed(1_ps)}, {{0, 1, false}}}}}) ==
        "rank 0 has a dependency of an operation that is not there");
  CHECK(
      fault(Blame::check, {{{{computed(1_ps), computed(1_ps)}, {{0, 1, false}, {1, 0, false}}}}}) ==
      "line 3: rank 0 waits forever for this operation: the trace deadlocks");
}

TEST_CASE("replay: many messages between two ranks at once") {
  constexpr std::uint32_t kMany = 1000;
  TraceGraph trace{{{}, {}}};
  for (std::uint32_t i = 0; i < kMany; ++i) {
    trace.ranks[0].operations.push_back(sent(1, i));
    trace.ranks[1].operations.push_back(received(0, kMany - 1 - i));
  }
  const ReplayResult result = played(trace);
  CHECK(result.messages == kMany);
  CHECK(result.bytes == 11 * Count{kMany});
}

TEST_CASE("replay: a lane is free for another message once both ends are done") {
  // Rank 0 sends to ranks 1 and 2 in turn; their lanes end in another order than they began.
  TraceGraph trace{
      {{{sent(1), sent(2), sent(1), sent(2)}, {{0, 1, false}, {1, 2, false}, {2, 3, false}}},
       {{received(0), received(0)}, {}},
       {{computed(5000_ps), received(0), received(0)}, {{0, 1, false}, {1, 2, false}}}}};
  const ReplayResult result = played(trace);
  CHECK(result.messages == 4);
  CHECK(result.finish == 5000_ps + 40_ps);  // the last receives take 20 each
}

TEST_CASE("replay: a receive from any source takes the message that was sent first") {
  // Rank 2 sends at 0, rank 0 at 1000; rank 1 computes for 500 after its first receive.
  const TraceGraph trace{{{{computed(1000_ps), sent(1)}, {{0, 1, false}}},
                          {{received(kAnySource), computed(500_ps), received(kAnySource)},
                           {{0, 1, false}, {1, 2, false}}},
                          {{sent(1)}, {}}}};
  CHECK(played(trace).finish_of == std::vector<Time>{1010_ps, 1130_ps, 10_ps});
  TraceGraph more = trace;
  more.ranks[1].operations.push_back(received(kAnySource));
  CHECK(fault(Blame::usage, more) ==
        "rank 1 has 1 more recv from any rank with tag 0 than there are sends left for them: add "
        "sends");
  more = trace;
  more.ranks[2].operations.push_back(sent(1));
  CHECK(fault(Blame::usage, more).find("has no recv: add it") != std::string::npos);
}

TEST_CASE("replay: computations on different processors of a rank overlap") {
  Operation second = computed(70_ps);
  second.processor = 1;
  CHECK(played({{{{computed(100_ps), second}, {}}}}).finish == 100_ps);
  CHECK(played({{{{second, second}, {}}}}).finish == 140_ps);
}

TEST_CASE("replay: where messages hold ports, sends of a rank leave in listed order") {
  // Three ranks that send to both others, first to the next one: two messages one after another.
  TraceGraph trace{{{}, {}, {}}};
  for (Rank r = 0; r < 3; ++r) {
    const Rank next = (r + 1) % 3, last = (r + 2) % 3;
    trace.ranks[index(r)].operations = {sent(next), received(next), sent(last), received(last)};
  }
  CHECK(played(trace, "alpha_beta", {{"alpha", 100}, {"beta", 1}, {"gamma", 0}}).finish == 222_ps);
}
