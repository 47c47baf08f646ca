// The critical path goes from 0 to the finish without a gap along spans of the trace, and agrees
// with hand-made cases.
#include "simulator/analysis/critical_path.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

using Kind = CriticalStep::Kind;

struct Found {
  SimulationResult outcome;
  Trace trace;
  CriticalPath path;
};

Found find(std::string_view model, const Values& values, const Algorithm& algorithm,
           const Problem& p, int segments = 1) {
  Found f;
  f.outcome = run(model, values, algorithm, p, 4, {.segments = segments, .trace = &f.trace});
  f.path = critical_path(f.trace, f.outcome.finish);
  return f;
}

bool in_trace(const Trace& trace, const CriticalStep& step) {
  return std::any_of(trace.spans.begin(), trace.spans.end(), [&](const Span& s) {
    if (s.rank != step.rank || s.lane != step.lane) return false;
    switch (step.kind) {
      case Kind::send:
        return s.kind == Span::Kind::send && s.begin == step.begin && s.end == step.end;
      case Kind::receive:
        return s.kind == Span::Kind::receive && s.begin == step.begin && s.end == step.end;
      case Kind::reduce:
        return s.kind == Span::Kind::reduce && s.begin == step.begin && s.end == step.end;
      case Kind::message:  // it may first have waited for the receiver's port
        return s.kind == Span::Kind::send && s.message == step.message && s.begin <= step.begin &&
               s.peer == step.to;
      default:
        return true;
    }
  });
}

// Spans of hand-made traces, of lane 0 and one byte.
Span adding(Rank rank, Time begin, Time end) {
  return {Span::Kind::reduce, rank, 0, 1, 0, 1, begin, end, -1};
}
Span sending(Rank rank, Rank target, std::int64_t message, Time begin, Time end) {
  return {Span::Kind::send, rank, 0, 1, target, 1, begin, end, message};
}
Span receiving(Rank rank, Rank source, std::int64_t message, Time begin, Time end) {
  return {Span::Kind::receive, rank, 0, 1, source, 1, begin, end, message};
}

struct Brief {
  Kind kind;
  Rank rank;
  Time begin, end;
  bool operator==(const Brief&) const = default;
};
using BriefPath = std::vector<Brief>;

BriefPath steps_of(const Trace& trace, Time finish) {
  BriefPath steps;
  for (const CriticalStep& s : critical_path(trace, finish).steps)
    steps.push_back({s.kind, s.rank, s.begin, s.end});
  return steps;
}

void check_chain(const Found& f) {
  const auto& steps = f.path.steps;
  REQUIRE(f.path.length() == f.outcome.finish);
  REQUIRE(steps.front().begin == 0_ps);
  REQUIRE(steps.back().end == f.outcome.finish);
  REQUIRE(f.outcome.finish_of[std::size_t(steps.back().to)] == f.outcome.finish);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    INFO("step " << i << ": " << name(steps[i].kind) << ", rank " << steps[i].rank << ", from "
                 << steps[i].begin.count() << " to " << steps[i].end.count());
    REQUIRE(steps[i].begin <= steps[i].end);
    REQUIRE((steps[i].kind == Kind::wait || in_trace(f.trace, steps[i])));
    if (i + 1 == steps.size()) continue;
    REQUIRE(steps[i].end == steps[i + 1].begin);
    REQUIRE(steps[i].to == steps[i + 1].rank);
  }
}

}  // namespace

TEST_CASE("a critical path is a chain from 0 to the finish without unexplained waits") {
  for (const Model& model : models())
    for (const Algorithm& algorithm : algorithms())
      for (const Rank p : unless_sanitized({2, 3, 5, 8, 13, 16}, {2, 5, 8}))
        for (const int segments : {1, 3})
          for (const double eager : {1e9, 0.})
            for (const double gamma : {0., 40., 1000.}) {
              INFO(algorithm.name << " under " << model.name << ", ranks " << p << ", segments "
                                  << segments << ", S " << eager << ", gamma " << gamma);
              const Problem problem =
                  grouped(algorithm, {.ranks = p, .elements = 1000, .root = p / 2});
              if (!unsupported(algorithm, problem).empty()) continue;
              const Found f =
                  find(model.name, {{"S", eager}, {"gamma", gamma}}, algorithm, problem, segments);
              check_chain(f);
              // The path does not follow a rendezvous whose receiver is late because of a third
              // rank's message in the same round, as forest has them in several lanes.
              if (algorithm.forested && eager == 0 && segments > 1) continue;
              // Requests and grants are not in the trace.
              if (model.name == "connections" && eager == 0) continue;
              REQUIRE(f.path.spent(Kind::wait) == 0_ps);
            }
}

TEST_CASE("the path waits while the port is idle, and has no gap") {
  for (const Algorithm& algorithm : algorithms())
    for (const Rank p : {3, 8, 13}) {
      INFO(algorithm.name << ", ranks " << p);
      const Problem problem = grouped(algorithm, {.ranks = p, .elements = 1000});
      if (!unsupported(algorithm, problem).empty()) continue;
      check_chain(find("loggops", {{"g", picoseconds(5 * kMicrosecond)}, {"gamma", 40}}, algorithm,
                       problem));
    }
}

TEST_CASE("the critical path of a ring is its rounds: a message and an addition, then messages") {
  const Values values{{"alpha", 10}, {"beta", 1}, {"gamma", 1}};
  const Found f = find("alpha_beta", values, find_algorithm("ring"), {.ranks = 4, .elements = 400});
  CHECK(f.path.spent(Kind::message) == 6 * (10_ps + 400_ps));
  CHECK(f.path.spent(Kind::reduce) == 3 * 400_ps);
  CHECK(f.path.length() == 6 * 410_ps + 3 * 400_ps);
}

TEST_CASE("the path of all_to_all follows the ports, of master_worker the master") {
  const Values values{{"alpha", 10}, {"beta", 0}, {"gamma", 0}};
  const Found all =
      find("alpha_beta", values, find_algorithm("all_to_all"), {.ranks = 5, .elements = 5});
  CHECK(all.path.spent(Kind::message) + all.path.spent(Kind::send) == 40_ps);
  const Found master = find("alpha_beta", values, find_algorithm("master_worker"),
                            {.ranks = 5, .elements = 5, .root = 2});
  CHECK(master.path.length() == 80_ps);
  CHECK(std::all_of(master.path.steps.begin(), master.path.steps.end(),
                    [](const CriticalStep& s) { return s.rank == 2 || s.to == 2; }));
}

TEST_CASE("a message that waited for the receiver's port leads to the message before it") {
  // Both leave at 5 ps and take 10 ps. The second is received when the first has been.
  const Trace trace{{sending(1, 0, 0, 5_ps, 15_ps), receiving(0, 1, 0, 15_ps, 15_ps),
                     sending(2, 0, 1, 5_ps, 25_ps), receiving(0, 2, 1, 25_ps, 25_ps)}};
  CHECK(steps_of(trace, 25_ps) == BriefPath{{Kind::wait, 1, 0_ps, 5_ps},
                                            {Kind::message, 1, 5_ps, 15_ps},
                                            {Kind::post, 0, 15_ps, 15_ps},
                                            {Kind::message, 2, 15_ps, 25_ps}});
}

TEST_CASE("a message that arrived while its rank was busy leads to what the rank did") {
  // Both need 6 ps. The second waits until the rank has received the first.
  const Trace trace{{sending(1, 0, 0, 0_ps, 2_ps), receiving(0, 1, 0, 6_ps, 8_ps),
                     sending(2, 0, 1, 0_ps, 2_ps), receiving(0, 2, 1, 8_ps, 10_ps)}};
  CHECK(steps_of(trace, 10_ps) == BriefPath{{Kind::message, 1, 0_ps, 6_ps},
                                            {Kind::receive, 0, 6_ps, 8_ps},
                                            {Kind::receive, 0, 8_ps, 10_ps}});
}

TEST_CASE("a send without duration is on the path once, as its message") {
  const Trace trace{{sending(0, 1, 0, 5_ps, 5_ps), receiving(1, 0, 0, 9_ps, 12_ps)}};
  CHECK(steps_of(trace, 12_ps) == BriefPath{{Kind::wait, 0, 0_ps, 5_ps},
                                            {Kind::message, 0, 5_ps, 9_ps},
                                            {Kind::receive, 1, 9_ps, 12_ps}});
}

TEST_CASE("of what ended together, a send in the rank's lane comes before an addition in another") {
  Span other = adding(0, 0_ps, 10_ps);
  other.lane = 1;
  const Trace trace{{other, sending(0, 1, 0, 0_ps, 10_ps), receiving(1, 0, 0, 11_ps, 12_ps),
                     adding(0, 10_ps, 15_ps)}};
  CHECK(steps_of(trace, 15_ps) ==
        BriefPath{{Kind::send, 0, 0_ps, 10_ps}, {Kind::reduce, 0, 10_ps, 15_ps}});
}

TEST_CASE("of what ended together, an addition comes before a receive, and that before a send") {
  const Span add = adding(0, 2_ps, 10_ps), send = sending(0, 1, 0, 3_ps, 10_ps),
             receive = receiving(0, 2, 1, 4_ps, 10_ps);
  const Span ends[] = {receiving(1, 0, 0, 10_ps, 10_ps), sending(2, 0, 1, 0_ps, 4_ps)};
  const auto last = [&](std::vector<Span> spans) {
    spans.insert(spans.end(), std::begin(ends), std::end(ends));
    return steps_of({spans}, 10_ps).back();
  };
  for (const bool turned : {false, true}) {
    std::vector<Span> all{send, receive, add};
    if (turned) std::reverse(all.begin(), all.end());
    CHECK(last(all) == Brief{Kind::reduce, 0, 2_ps, 10_ps});
    std::erase(all, add);
    CHECK(last(all) == Brief{Kind::receive, 0, 4_ps, 10_ps});
  }
}

TEST_CASE("a run without messages has an empty path") {
  const Found f = find("alpha_beta", {}, find_algorithm("ring"), {.ranks = 1, .elements = 5});
  CHECK(f.path.steps.empty());
  CHECK(f.path.length() == 0_ps);
}
