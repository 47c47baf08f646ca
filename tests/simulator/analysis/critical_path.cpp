// The critical path goes from 0 to the finish without a gap along spans of the trace, and agrees
// with hand-made cases.
#include "simulator/analysis/critical_path.hpp"

#include <algorithm>

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

TEST_CASE("a run without messages has an empty path") {
  const Found f = find("alpha_beta", {}, find_algorithm("ring"), {.ranks = 1, .elements = 5});
  CHECK(f.path.steps.empty());
  CHECK(f.path.length() == 0_ps);
}
