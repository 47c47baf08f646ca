// Conformance on threads: the whole catalog, all its collectives: claimed = executed, and the
// result is the pattern's, for every number of ranks from 1 to 16.
#include "tests/support/conformance.hpp"

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failures.hpp"

using namespace arlab;
using namespace arlab::collectives;
using conformance::Failures;

TEST_CASE("claimed = executed over the catalog, ranks 1 to 16") {
  const Operand operand{DType::float32, Op::sum};
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16}, {1, 2, 5, 9})) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      conformance::for_all_problems(
          ranks, conformance::odd_lengths(ranks), 0,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            failures.expect_good(
                communicator, conformance::run(communicator, algorithm, problem, operand, segments),
                conformance::text_of(algorithm, problem, operand, segments));
          });
    });
    failures.check();
  }
}

TEST_CASE("claimed = executed with settings, and on groups of every size") {
  for (const Rank ranks : {2, 6, 7, 9}) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      for (const Algorithm* const algorithm : tested_algorithms())
        for (const Problem& problem :
             stated_for(*algorithm, {.ranks = ranks, .elements = 103, .root = 0})) {
          const bool seen = algorithm->name.find(':') == std::string_view::npos && !problem.groups;
          if (seen || !unsupported(*algorithm, problem).empty()) continue;
          const Operand operand{DType::int64, Op::sum};
          failures.expect_good(communicator,
                               conformance::run(communicator, *algorithm, problem, operand, 1),
                               conformance::text_of(*algorithm, problem, operand, 1));
        }
    });
    failures.check();
  }
}

TEST_CASE("all types and operations") {
  for (const Rank ranks : {1, 4, 7}) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      for (const DType dtype : kDTypes)
        for (const Op op : kOps)
          for (const Count elements : {3, 1009})
            for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
              const Problem p{.ranks = ranks, .elements = elements};
              const Operand operand{dtype, op};
              failures.expect_good(communicator,
                                   conformance::run(communicator, algorithm, p, operand, 1),
                                   conformance::text_of(algorithm, p, operand, 1));
            }
    });
    failures.check();
  }
}

TEST_CASE("every root") {
  const Operand operand{DType::int64, Op::avg};
  for (const Rank ranks : {2, 5, 8}) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      for (Rank root = 0; root < ranks; ++root)
        conformance::for_all_problems(
            ranks, 100, root, [&](const Algorithm& algorithm, const Problem& problem) {
              failures.expect_good(communicator,
                                   conformance::run(communicator, algorithm, problem, operand, 1),
                                   conformance::text_of(algorithm, problem, operand, 1));
            });
    });
    failures.check();
  }
}

TEST_CASE("shared slices: all types and operations") {
  for (const Rank ranks : {1, 2, 3, 8}) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      for (const DType dtype : kDTypes)
        for (const Op op : kOps)
          for (const Count elements : {0, 1, 7, 2003}) {
            const Problem problem{.ranks = ranks, .elements = elements};
            failures.expect_good(communicator,
                                 conformance::run_native(communicator, problem, {dtype, op}),
                                 communicator.baseline().name_of_allreduce());
          }
    });
    failures.check();
  }
}
