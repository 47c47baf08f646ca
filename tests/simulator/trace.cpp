// The spans of a trace are consistent: messages have two ends, spans of a processor do not overlap,
// and the last end is the finish.
#include "simulator/trace.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct Traced {
  SimulationResult outcome;
  Trace trace;
  bool waits = false;         // rendezvous: a sender may end by waiting, which has no span
  bool ends_locally = false;  // a sender may end while the network still sends its bytes
};

Traced traced(std::string_view model, const Values& values, const Algorithm& algorithm,
              const Problem& p, int segments) {
  Traced t;
  t.outcome = run(model, values, algorithm, p, 4, {.segments = segments, .trace = &t.trace});
  return t;
}

// Calls the function for every algorithm and model, with powers of two and other numbers of ranks,
// with and without lanes; for loggops with eager messages and with rendezvous.
template <class F>
void for_each_trace(F check) {
  for (const Model& model : models())
    for (const Algorithm& algorithm : algorithms())
      for (const Rank p : {2, 3, 8, 13})
        for (const int segments : {1, 3})
          for (const double eager : {1e9, 0.}) {
            INFO(algorithm.name << " under " << model.name << ", ranks " << p << ", segments "
                                << segments << ", S " << eager);
            const Problem problem =
                grouped(algorithm, {.ranks = p, .elements = 1000, .root = p / 2});
            if (!unsupported(algorithm, problem).empty()) continue;
            Traced t =
                traced(model.name, {{"S", eager}, {"gamma", 40}}, algorithm, problem, segments);
            t.ends_locally = model.name == "connections";
            t.waits = t.ends_locally || (model.name == "loggops" && eager == 0);
            check(model, algorithm, t);
          }
}

}  // namespace

TEST_CASE("every message is one send and one later receive") {
  for_each_trace([](const Model&, const Algorithm&, const Traced& t) {
    std::map<std::int64_t, const Span*> sends;
    Count received = 0;
    Bytes bytes = 0;
    for (const Span& span : t.trace.spans)
      if (span.kind == Span::Kind::send) {
        REQUIRE(sends.emplace(span.message, &span).second);
        bytes += span.bytes;
      }
    for (const Span& span : t.trace.spans)
      if (span.kind == Span::Kind::receive) {
        ++received;
        REQUIRE(sends.count(span.message) == 1);
        const Span& send = *sends.at(span.message);
        REQUIRE(send.rank == span.peer);
        REQUIRE(send.peer == span.rank);
        REQUIRE(send.lane == span.lane);
        REQUIRE(send.bytes == span.bytes);
        REQUIRE(send.begin <= span.begin);
        REQUIRE(send.begin < span.end);
      }
    REQUIRE(static_cast<Count>(sends.size()) == received);
    REQUIRE(received == t.outcome.sent.messages);
    REQUIRE(bytes == 4 * t.outcome.sent.elements);
  });
}

TEST_CASE("spans start before they end, and the last end is the finish") {
  for_each_trace([](const Model&, const Algorithm&, const Traced& t) {
    Time last{};
    std::vector<Time> last_of(t.outcome.finish_of.size());
    for (const Span& span : t.trace.spans) {
      REQUIRE(span.begin >= 0_ps);
      REQUIRE(span.begin <= span.end);
      REQUIRE(span.round >= 1);
      if (t.ends_locally && span.kind == Span::Kind::send) continue;
      last = std::max(last, span.end);
      Time& of_rank = last_of[static_cast<std::size_t>(span.rank)];
      of_rank = std::max(of_rank, span.end);
    }
    for (std::size_t r = 0; r < last_of.size(); ++r) REQUIRE(last_of[r] <= t.outcome.finish_of[r]);
    if (t.waits) return;
    REQUIRE(last == t.outcome.finish);
    REQUIRE(last_of == t.outcome.finish_of);
  });
}

TEST_CASE("every reduced element is in one reduce span") {
  for_each_trace([](const Model&, const Algorithm& algorithm, const Traced& t) {
    const auto p = static_cast<Count>(t.outcome.finish_of.size());
    Bytes reduced = 0;
    for (const Span& span : t.trace.spans)
      if (span.kind == Span::Kind::reduce) {
        REQUIRE(span.message == -1);
        reduced += span.bytes;
      }
    // P-1 additions of each element, unless ranks exchange whole arrays: then each message but
    // those that return the result to extra ranks is added.
    const std::set<std::string_view> exchange_whole{"all_to_all", "butterfly", "swing_whole",
                                                    "recursive_multiplying", "trivance"};
    if (exchange_whole.count(algorithm.name) == 0) {
      REQUIRE(reduced == 4 * 1000 * (p - 1));
      return;
    }
    Count core = algorithm.name == "recursive_multiplying" ? 4 : 2;
    while (core * (algorithm.name == "recursive_multiplying" ? 4 : 2) <= p)
      core *= algorithm.name == "recursive_multiplying" ? 4 : 2;
    if (core > p) core = 1;
    const bool folds = algorithm.name != "all_to_all" && algorithm.name != "trivance";
    const Count returned = folds ? p - core : 0;
    REQUIRE(reduced == 4 * (t.outcome.sent.elements - 1000 * returned));
  });
}

TEST_CASE("under loggops the spans of a rank's processor do not overlap") {
  for_each_trace([](const Model& model, const Algorithm&, const Traced& t) {
    if (model.name != "loggops") return;
    std::vector<Span> spans = t.trace.spans;
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::tie(a.rank, a.begin, a.end) < std::tie(b.rank, b.begin, b.end);
    });
    for (std::size_t i = 1; i < spans.size(); ++i) {
      const Span &before = spans[i - 1], &after = spans[i];
      if (before.rank != after.rank) continue;
      INFO("rank " << after.rank << ": " << before.begin.count() << " to " << before.end.count()
                   << ", then " << after.begin.count() << " to " << after.end.count());
      REQUIRE(before.end <= after.begin);
    }
  });
}

TEST_CASE("the rounds in a trace are those of the rank's program") {
  const Traced t = traced("alpha_beta", {{"gamma", 40}}, find_algorithm("ring"),
                          {.ranks = 4, .elements = 4000}, 1);
  for (Rank r = 0; r < 4; ++r)
    for (Count round = 1; round <= 6; ++round) {
      std::vector<Span::Kind> kinds;
      for (const Span& span : t.trace.spans)
        if (span.rank == r && span.round == round) kinds.push_back(span.kind);
      std::sort(kinds.begin(), kinds.end());
      using K = Span::Kind;
      const std::vector<K> adds{K::send, K::receive, K::reduce}, passes{K::send, K::receive};
      CHECK(kinds == (round <= 3 ? adds : passes));
    }
}
