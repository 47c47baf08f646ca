#include "bench/formats/parse_goal.hpp"

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;
using simulator::Operation;

namespace {

std::string fault(const std::string& text) {
  return error_text(Blame::usage, [&] { parse_goal(text, "t.goal"); });
}

std::string in_rank(const std::string& text) { return "num_ranks 2\nrank 0 {\n" + text + "\n}\n"; }

}  // namespace

TEST_CASE("parse_goal reads operations, dependencies and comments") {
  const auto trace = parse_goal(
      "// a comment\nnum_ranks 2 /* of\ntwo lines */\n"
      "rank 0 {\nl1: calc 1500 cpu 0\nl2: send 1024b to 1 tag 7 nic 0\nl2 requires l1\n"
      "send 1b to 1\n}\nrank 1 { a: recv 1024b from 0 tag 7 b: recv 1b from 0 b irequires a }",
      "t.goal");
  REQUIRE(trace.ranks.size() == 2);
  const auto& first = trace.ranks[0];
  REQUIRE(first.operations.size() == 3);
  CHECK(first.operations[0] == Operation{.duration = 1500 * kNanosecond, .line = 5});
  CHECK(first.operations[1] ==
        Operation{.kind = Operation::Kind::send, .peer = 1, .bytes = 1024, .tag = 7, .line = 6});
  REQUIRE(first.dependencies.size() == 1);
  CHECK(first.dependencies[0] == simulator::Dependency{0, 1, false});
  REQUIRE(trace.ranks[1].dependencies.size() == 1);
  CHECK(trace.ranks[1].dependencies[0] == simulator::Dependency{0, 1, true});
  CHECK(trace.ranks[1].operations[0].kind == Operation::Kind::receive);
}

TEST_CASE("parse_goal reads what tags mean from a comment at the begin") {
  const auto channels = [](const std::string& comment) {
    return parse_goal(comment + "num_ranks 1", "t.goal").channels;
  };
  CHECK(channels("") == 0);
  CHECK(channels("// channels 3\n") == 3);
  CHECK(channels("// channels 3\r\n") == 3);
  CHECK(channels("// channels -3\n") == 0);
  CHECK(channels("// channels of water\n") == 0);
  CHECK(channels("// channels 3 or 4\n") == 0);
  CHECK(channels("// a trace\n// channels 3\n") == 0);
}

TEST_CASE("parse_goal names the line, the word, and the remedy") {
  CHECK(
      fault("") ==
      "t.goal: line 1: a trace begins with 'num_ranks' and a number, not with the end of the file: "
      "add them");
  CHECK(fault("num_ranks x") ==
        "t.goal: line 1: num_ranks is 'x': give a whole number from 0 to 1048576");
  CHECK(fault("num_ranks 0") == "t.goal: line 1: num_ranks is 0: give at least 1");
  CHECK(fault("num_ranks 1\nrank 1 {}") ==
        "t.goal: line 2: rank is '1': give a whole number from 0 to 0");
  CHECK(fault("num_ranks 1 rank 0 {} rank 0 {}") ==
        "t.goal: line 1: rank 0 is there twice: merge them");
  CHECK(fault("num_ranks 1 rank 0 { ") == "t.goal: line 1: the file ends within a rank: write '}'");
  CHECK(fault(in_rank("l1: sned 1b to 1")) ==
        "t.goal: line 3: 'sned' after label 'l1': write send, recv or calc");
  CHECK(fault(in_rank("l1: send 1b from 1")) == "t.goal: line 3: 'from' after send: write 'to'");
  CHECK(fault(in_rank("l1: send -1b to 1")) ==
        "t.goal: line 3: send is '-1b': give a whole number from 0 to 1125899906842624");
  CHECK(fault(in_rank("l1: calc 1\nl1: calc 2")) ==
        "t.goal: line 4: label 'l1' is there twice in its rank: rename it");
  CHECK(fault(in_rank("l1: calc 1\nl1 requires l2")) ==
        "t.goal: line 4: 'l2' is not a label of an operation above in this rank: define it first");
  CHECK(fault(in_rank("l1: send 1b to 1 nic 1")) ==
        "t.goal: line 4: nic is 1, but a simulated rank has one: make it another rank, or 0");
  CHECK(fault(in_rank("l1: send 1b to 4294967295")) ==
        "t.goal: line 3: to is '4294967295': give a whole number from 0 to 1");
  CHECK(fault("num_ranks 1 /* ") == "t.goal: line 1: a comment that does not end: write '*/'");
}

TEST_CASE("parse_goal reads receives from any rank, and the processor of a computation") {
  const auto trace = parse_goal(
      "num_ranks 2 rank 0 { recv 4b from 4294967295 tag 3 calc 5 cpu 2 } rank 1 { }", "t.goal");
  CHECK(trace.ranks[0].operations[0].peer == simulator::kAnySource);
  CHECK(trace.ranks[0].operations[1].processor == 2);
}
