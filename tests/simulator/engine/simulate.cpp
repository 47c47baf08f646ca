// The engine: conformance of the catalog under every model, and errors for invalid programs.
#include "simulator/engine/simulate.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "algorithms/verify/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

void check_run(std::string_view model, const Algorithm& algorithm, const Problem& p, int segments) {
  INFO(algorithm.name << " " << name(p.collective) << " under " << model << ", ranks " << p.ranks
                      << ", elements " << p.elements << ", segments " << segments);
  const SimulationResult outcome = run(model, {}, algorithm, p, 4, {.segments = segments});
  REQUIRE(outcome.sent == count(algorithm, p, segments).all);
  REQUIRE(outcome.sent == predicted_cost(algorithm, p, segments));
  REQUIRE(outcome.finish_of.size() == static_cast<std::size_t>(p.ranks));
  REQUIRE(outcome.finish == *std::max_element(outcome.finish_of.begin(), outcome.finish_of.end()));
  REQUIRE((outcome.finish == 0_ps) == (outcome.sent.messages == 0));
  REQUIRE((outcome.sent.messages == 0) == (p.ranks == 1 || p.elements == 0));
}

void check_all_collectives(std::string_view model, Problem p, int segments) {
  for (const Algorithm& algorithm : algorithms())
    for (const Collective collective : kCollectives) {
      p.collective = collective;
      const bool splits =
          collective == Collective::reduce_scatter || collective == Collective::all_gather;
      const Problem stated = grouped(algorithm, p);
      if ((segments == 1 || !splits) && unsupported(algorithm, stated).empty())
        check_run(model, algorithm, stated, segments);
    }
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const Model& m : models()) names.push_back(m.name);
  return names;
}

// 100 ps latency, 10 ps overhead, 1 ps per byte, no other costs: under loggops a message of 11
// bytes from an idle rank to an idle rank takes 10 + 100 + 10 + 10.
const Values kPlain{{"L", 100}, {"o", 10}, {"g", 0}, {"G", 1}, {"gamma", 0}};

SimulationResult plain(Program (*program)(Problem, Rank), Rank ranks) {
  return run("loggops", kPlain, tried(program), {.ranks = ranks, .elements = 11});
}

std::string failure(std::string_view model, const Values& values,
                    Program (*program)(Problem, Rank)) {
  return error_text(Blame::check,
                    [&] { run(model, values, tried(program), {.ranks = 2, .elements = 8}); });
}

const std::string kNeverEnds =
    "the simulated programs deadlock: verify the algorithm to find the rank and round";
const std::string kNeverReceived =
    "the simulated programs send messages that are never received: verify the algorithm to find "
    "them";

}  // namespace

TEST_CASE("simulated = counted = claimed for every P up to 64, under every model") {
  for (const std::string_view model : model_names())
    for (const Rank p : ranks_up_to(64))
      check_all_collectives(model, {.ranks = p, .elements = 1000, .root = p / 2}, 1);
}

TEST_CASE("simulated = counted = claimed for every size, root and cut, under every model") {
  for (const std::string_view model : model_names())
    for (const Rank p : unless_sanitized({1, 2, 3, 4, 5, 7, 8, 13, 16, 33}, {1, 3, 8, 13}))
      for (const Count elements : std::set<Count>{0, 1, 3, p - 1, p, 1000})
        for (const int segments : {1, 3})
          check_all_collectives(model, {.ranks = p, .elements = elements, .root = p - 1}, segments);
}

TEST_CASE("repeating a simulation gives the same times and the same trace") {
  for (const std::string_view model : model_names())
    for (const Algorithm& algorithm : algorithms()) {
      INFO(algorithm.name << " under " << model);
      const Problem problem = grouped(algorithm, {.ranks = 23, .elements = 1000});
      if (!unsupported(algorithm, problem).empty()) continue;
      Trace traces[2];
      SimulationResult outcomes[2];
      for (int i = 0; i < 2; ++i)
        outcomes[i] = run(model, {}, algorithm, problem, 4, {.segments = 3, .trace = &traces[i]});
      CHECK(outcomes[0].finish == outcomes[1].finish);
      CHECK(outcomes[0].finish_of == outcomes[1].finish_of);
      CHECK(outcomes[0].events == outcomes[1].events);
      CHECK(traces[0].spans == traces[1].spans);
      CHECK_FALSE(traces[0].spans.empty());
      // Tracing does not change the result.
      const SimulationResult unseen = run(model, {}, algorithm, problem, 4, {.segments = 3});
      CHECK(unseen.finish_of == outcomes[0].finish_of);
    }
}

TEST_CASE("a round without elements takes no time, and neither does an empty round") {
  const auto program = [](Problem p, Rank me) -> Program {
    co_yield Round{};
    // Of 11 elements on 20 ranks, chunk 15 has none.
    if (me == 0) co_yield together(send(1, p.chunk(15)), reduce(2, p.chunk(15)));
    if (me == 0) co_yield send(1, p.all());
    if (me == 1) co_yield replace(0, p.all());
  };
  const SimulationResult outcome = plain(program, 20);
  CHECK(outcome.finish == 130_ps);
  CHECK(outcome.sent.messages == 1);
  CHECK(outcome.sent.elements == 11);
}

TEST_CASE("unexpected messages of a pair match the receives in order, even across many rounds") {
  // Rank 0 sends 40 messages, each longer than the last, before rank 1 posts a receive: rank 1
  // first waits for rank 2, which waits for rank 3.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0)
      for (Rank k = 1; k <= 40; ++k) co_yield send(1, {0, k});
    if (me == 1) {
      co_yield replace(2, p.all());
      for (Rank k = 1; k <= 40; ++k) co_yield replace(0, {0, k});
    }
    if (me == 2) {
      co_yield replace(3, p.all());
      co_yield send(1, p.all());
    }
    if (me == 3) co_yield send(2, p.all());
  };
  for (const std::string_view model : model_names()) {
    INFO(model);
    Trace trace;
    const SimulationResult outcome =
        run(model, {}, tried(program), {.ranks = 40, .elements = 400}, 1, {.trace = &trace});
    CHECK(outcome.sent.messages == 42);
    CHECK(outcome.sent.elements == 10 * 40 * 41 / 2 + 2 * 400);
    std::vector<Bytes> received;
    for (const Span& span : trace.spans)
      if (span.kind == Span::Kind::receive && span.peer == 0) received.push_back(span.bytes);
    CHECK(std::is_sorted(received.begin(), received.end()));
    CHECK(received.size() == 40);
  }
}

TEST_CASE("a message is received when it arrives and matched when its receive is posted") {
  // Rank 1 posts its receive for rank 0 after the message of rank 2.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield send(1, p.all());
    if (me == 1) {
      co_yield replace(2, p.all());
      co_yield replace(0, p.all());
      co_yield send(3, p.all());
    }
    if (me == 2) {
      co_yield replace(3, p.all());
      co_yield send(1, p.all());
    }
    if (me == 3) {
      co_yield send(2, p.all());
      co_yield replace(1, p.all());
    }
  };
  // 3 -> 2 by 130, 2 -> 1 by 260, then at once 1 -> 3 by 390.
  CHECK(plain(program, 4).finish_of == std::vector<Time>{10_ps, 270_ps, 140_ps, 390_ps});
}

TEST_CASE("rounds of more than 32 actions, in any order and several of a pair") {
  // Rank 0 sends 3 messages to each of 50 ranks and receives one from each in the same round. The
  // others list their receives in the opposite order.
  const auto program = [](Problem p, Rank me) -> Program {
    std::vector<Action> round;
    if (me == 0) {
      for (Rank r = p.ranks - 1; r > 0; --r) round.push_back(reduce(r, {0, 1}));
      for (const Rank k : {1, 2, 3})
        for (Rank r = 1; r < p.ranks; ++r) round.push_back(send(r, {0, k}));
    } else {
      for (const Rank k : {1, 2, 3}) round.push_back(reduce(0, {0, k}));
      round.push_back(send(0, {0, 1}));
    }
    co_yield round;
  };
  for (const std::string_view model : model_names()) {
    INFO(model);
    const SimulationResult outcome =
        run(model, {}, tried(program), {.ranks = 51, .elements = 102}, 4);
    CHECK(outcome.sent == Cost{50 * 4, 50 * (2 + 4 + 6 + 2), 1});
  }
}

TEST_CASE("thousands of unexpected messages, one receive per round, take a few events each") {
  // A linear gather in rounds of one receive: all messages arrive before their receives are posted.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me != 0) co_yield send(0, p.all());
    if (me == 0)
      for (Rank r = p.ranks - 1; r > 0; --r) co_yield reduce(r, p.all());
  };
  for (const std::string_view model : model_names()) {
    INFO(model);
    const Rank ranks = kSanitized ? 5'000 : 20'000;
    const SimulationResult outcome =
        run(model, {}, tried(program), {.ranks = ranks, .elements = 100}, 4);
    CHECK(outcome.sent == Cost{ranks - 1, 100 * (ranks - 1), ranks - 1});
    CHECK(outcome.events < 8 * Count{ranks});
  }
}

TEST_CASE("lanes run concurrently and share the rank's ports") {
  // One large message under alpha_beta: 3 segments cost two more latencies, and nothing overlaps.
  const Values values{{"alpha", 100}, {"beta", 1}, {"gamma", 0}};
  const Algorithm& tree = find_algorithm("tree");
  const Problem pair{.collective = Collective::broadcast, .ranks = 2, .elements = 30};
  CHECK(run("alpha_beta", values, tree, pair).finish == 130_ps);
  CHECK(run("alpha_beta", values, tree, pair, 1, {.segments = 3}).finish == 330_ps);
  // Down a chain of two, the second hop of one segment overlaps the first hop of the next.
  const auto chain = [](Problem p, Rank me) -> Program {
    if (me > 0) co_yield replace(me - 1, p.all());
    if (me < p.ranks - 1) co_yield send(me + 1, p.all());
  };
  const Problem three{.ranks = 3, .elements = 3000};
  CHECK(run("alpha_beta", values, tried(chain), three).finish == 2 * 3100_ps);
  CHECK(run("alpha_beta", values, tried(chain), three, 1, {.segments = 3}).finish == 4 * 1100_ps);
}

TEST_CASE("progress is reported periodically") {
  std::vector<Count> reports;
  const SimulateOptions options{.progress = [&](Count messages) { reports.push_back(messages); }};
  run("loggops", {}, find_algorithm("all_to_all"), {.ranks = 520, .elements = 1}, 4, options);
  REQUIRE_FALSE(reports.empty());
  CHECK(std::is_sorted(reports.begin(), reports.end()));
  CHECK(reports.back() <= 520 * 519);
}

TEST_CASE("a deadlock is an error, not a short simulation") {
  const auto both_receive = [](Problem p, Rank me) -> Program {
    co_yield reduce(1 - me, p.all());
    co_yield send(1 - me, p.all());
  };
  const auto both_send = [](Problem p, Rank me) -> Program {
    co_yield send(1 - me, p.all());
    co_yield reduce(1 - me, p.all());
  };
  for (const std::string_view model : model_names()) {
    INFO(model);
    CHECK(failure(model, {}, both_receive) == kNeverEnds);
  }
  // Two sends that wait for their receives, except where small messages are eager.
  CHECK(failure("alpha_beta", {}, both_send) == kNeverEnds);
  CHECK(failure("loggops", {{"S", 7}}, both_send) == kNeverEnds);
  CHECK(failure("loggops", {{"S", 8}}, both_send) == "no error");
}

TEST_CASE("a message without a receive is an error") {
  const auto unwanted = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield send(1, p.all());
  };
  // Rank 1 has ended its only round when the second message arrives.
  const auto one_too_many = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield send(1, p.all());
    if (me == 0) co_yield send(1, p.all());
    if (me == 1) co_yield reduce(0, p.all());
  };
  CHECK(failure("loggops", {}, unwanted) == kNeverReceived);
  CHECK(failure("loggops", {}, one_too_many) == kNeverReceived);
  CHECK(failure("loggops", {{"S", 0}}, one_too_many) == kNeverEnds);
  CHECK(failure("alpha_beta", {}, unwanted) == kNeverEnds);
  CHECK(failure("alpha_beta", {}, one_too_many) == kNeverEnds);
}

TEST_CASE("a peer that does not exist is an error") {
  const auto beyond = [](Problem p, Rank me) -> Program { co_yield send(me + 1, p.all()); };
  const auto below = [](Problem p, Rank me) -> Program { co_yield send(me - 1, p.all()); };
  for (const std::string_view model : model_names()) {
    INFO(model);
    CHECK(failure(model, {}, beyond) ==
          "rank 1 of 2 has a message for or from rank 2: verify the algorithm to find its round");
    CHECK(failure(model, {}, below) ==
          "rank 0 of 2 has a message for or from rank -1: verify the algorithm to find its round");
  }
}

TEST_CASE("errors for invalid simulations state the reason") {
  const auto text = [](const Problem& p, Bytes element_size, int segments) {
    return error_text(Blame::usage, [&] {
      run("loggops", {}, find_algorithm("butterfly"), p, element_size, {.segments = segments});
    });
  };
  CHECK(text({.collective = Collective::broadcast, .ranks = 2, .elements = 1}, 4, 1) ==
        "butterfly has no broadcast form");
  CHECK(text({.ranks = 0}, 4, 1) == "ranks is 0: give at least 1");
  CHECK(text({.ranks = 2, .elements = 4}, 4, 0) == "segments is 0: give at least 1");
  CHECK(text({.ranks = 2, .elements = 4}, 0, 1) ==
        "4 elements of 0 bytes overflow: use a smaller size");
  CHECK(text({.ranks = 2, .elements = 1 << 30}, Bytes{1} << 40, 1) ==
        "1073741824 elements of 1099511627776 bytes overflow: use a smaller size");
}

TEST_CASE("times after the latest are errors, not overflows") {
  const auto text = [](const Values& values) {
    return error_text(Blame::usage, [&] {
      run("alpha_beta", values, find_algorithm("ring"), {.ranks = 8, .elements = 800}, 8);
    });
  };
  const std::string step = "one simulated step would last over 11 days: use smaller sizes or rates";
  const std::string end = "simulated time passes 46 days: use smaller sizes or rates";
  CHECK(text({{"alpha", 1e19}}) == step);
  CHECK(text({{"beta", 1e16}}) == step);
  CHECK(text({{"gamma", 1e17}}) == step);
  CHECK(text({{"alpha", 9e17}}) == end);
  CHECK(text({{"alpha", 0}, {"beta", 0}, {"gamma", 1e15}}) == end);
  const auto many_additions = error_text(Blame::usage, [&] {
    run("loggops", {{"gamma", 9e17}}, find_algorithm("master_worker"),
        {.collective = Collective::reduce, .ranks = 64, .elements = 1});
  });
  CHECK(many_additions == end);
}

TEST_CASE("a program without an end stops with a sentence, under every model") {
  const auto forever = [](Problem p, Rank me) -> Program {
    for (;;) co_yield exchange(1 - me, p.all());
  };
  const auto nothing_forever = [](Problem, Rank) -> Program {
    for (;;) co_yield Round{};
  };
  const std::string sentence =
      " of 2 has not ended after 102000 rounds, the limit for 2 ranks: look for a loop that does "
      "not end";
  for (const std::string_view model : model_names()) {
    INFO(model);
    CHECK_THAT(failure(model, {}, forever), Catch::EndsWith(sentence));
    CHECK(failure(model, {}, nothing_forever) == "tried: rank 0" + sentence);
  }
}

TEST_CASE("a simulation may stop at a time, and only if it would end later") {
  for (const std::string_view model : {"alpha_beta", "loggops", "fluid", "connections"})
    for (const char* name : {"ring", "tree", "double_tree", "butterfly", "master_worker"})
      for (const bool faster : {false, true}) {
        INFO(model << ", " << name << ", faster engines " << faster);
        const Algorithm& algorithm = find_algorithm(name);
        const Problem p{.ranks = 12, .elements = 120};
        SimulateOptions options{.symmetry = faster, .sweep = faster};
        const SimulationResult whole = run(model, {}, algorithm, p, 4, options);
        CHECK_FALSE(whole.stopped);
        options.latest = whole.finish;
        const SimulationResult same = run(model, {}, algorithm, p, 4, options);
        CHECK_FALSE(same.stopped);
        CHECK(same.finish_of == whole.finish_of);
        CHECK(same.sent == whole.sent);
        for (const Time latest : {whole.finish - Time{1}, whole.finish / 3, Time{}}) {
          options.latest = latest;
          CHECK(run(model, {}, algorithm, p, 4, options).stopped);
        }
      }
}

TEST_CASE("ranks that all begin later end as much later, under every model without links") {
  for (const char* model : {"alpha_beta", "loggops"})
    for (const Algorithm& algorithm : algorithms())
      for (const Rank ranks : {5, 7, 8})
        for (const int segments : {1, 4}) {
          const Problem p = grouped(algorithm, {.ranks = ranks, .elements = 16});
          if (!unsupported(algorithm, p).empty()) continue;
          INFO(algorithm.name << " on " << ranks << ", " << segments << " segments, " << model);
          const std::vector<Time> starts(static_cast<std::size_t>(ranks), 100_us);
          const SimulateOptions now{.segments = segments, .sweep = false},
              late{.segments = segments, .sweep = false, .starts = starts};
          CHECK(run(model, {}, algorithm, p, 4, late).finish ==
                run(model, {}, algorithm, p, 4, now).finish + 100_us);
        }
}
