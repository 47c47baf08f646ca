// HostPlan: the catalog in place and out of place, run again, and what is sent without a copy.
#include "collectives/host/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failures.hpp"
#include "tests/support/relaying_communicator.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::collectives;
using conformance::Failures;
using conformance::Verdict;

namespace {

using Vector = std::vector<std::byte>;

// In place, out of place, and again in place: a plan keeps no state of a run.
Verdict run_plan(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                 Operand operand, int segments) {
  const Rank me = communicator.rank();
  HostPlan plan(algorithm, problem, me, operand, segments);
  Vector input(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  fill(input, operand, problem, me);
  const Vector kept = input;
  Verdict sum;
  for (const bool in_place : {true, false, true}) {
    Vector data = in_place ? input : Vector(input.size(), std::byte{kNoResult});
    const Cost cost = in_place ? plan.run(communicator, data) : plan.run(communicator, input, data);
    const bool good =
        cost == predicted_rank_cost(algorithm, problem, me, segments) && input == kept;
    sum.wrong_elements += communicator.sum(wrong_elements(data, operand, problem, me));
    sum.ranks_off_their_claim += communicator.sum(good ? 0 : 1);
  }
  return sum;
}

// Records where the sends of all rounds read.
class Sends final : public RelayingCommunicator {
 public:
  using RelayingCommunicator::RelayingCommunicator;
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    for (const Transfer& t : round)
      if (t.kind == ActionKind::send) read.push_back(t.data);
    inner_.start(lane, round, operand);
  }
  std::vector<const std::byte*> read;
};

}  // namespace

TEST_CASE("plans run the catalog in place and out of place") {
  const Operand operand{DType::float32, Op::sum};
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16}, {1, 2, 5, 8, 9})) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      conformance::for_all_problems(
          ranks, conformance::odd_lengths(ranks), 0,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            failures.expect_good(communicator,
                                 run_plan(communicator, algorithm, problem, operand, segments),
                                 conformance::text_of(algorithm, problem, operand, segments));
          });
    });
    failures.check();
  }
}

TEST_CASE("plans run all types and operations") {
  for (const Rank ranks : {1, 4, 7}) {
    Failures failures;
    on_threads(ranks, [&](Communicator& communicator) {
      for (const DType dtype : kDTypes)
        for (const Op op : kOps)
          for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
            const Problem p{.ranks = ranks, .elements = 103};
            failures.expect_good(communicator, run_plan(communicator, algorithm, p, {dtype, op}, 1),
                                 conformance::text_of(algorithm, p, {dtype, op}, 1));
          }
    });
    failures.check();
  }
}

TEST_CASE("out of place a rank sends from the source what it has not changed") {
  using Counts = std::array<std::ptrdiff_t, 4>;
  std::vector<Counts> seen(4);  // by rank
  on_threads(4, [&](Communicator& threads) {
    Vector from(4000), into(4000);
    const auto in_source = [&](const std::byte* at) {
      return at >= from.data() && at < from.data() + from.size();
    };
    const auto sends = [&](const char* algorithm) {
      Sends communicator(threads);
      HostPlan(find_algorithm(algorithm), {.ranks = 4, .elements = 1000}, threads.rank(), {})
          .run(communicator, from, into);
      return communicator.read;
    };
    const auto ring = sends("ring");  // one chunk, then sums and results
    const auto all_to_all = sends("all_to_all");
    const auto butterfly = sends("butterfly");
    seen[static_cast<std::size_t>(threads.rank())] = {
        std::count_if(ring.begin(), ring.end(), in_source),
        std::count_if(all_to_all.begin(), all_to_all.end(), in_source), std::ssize(butterfly),
        std::count_if(butterfly.begin(), butterfly.end(), in_source)};
  });
  CHECK(seen == std::vector<Counts>(4, Counts{1, 3, 2, 1}));
}

TEST_CASE("a message of changed and unchanged parts is copied first") {
  // Rank 0 adds a part to its vector, then sends all of it; rank 1 keeps what it does not receive.
  const Algorithm algorithm = tried([](Problem p, Rank me) -> Program {
    if (me == 0) {
      co_yield together(reduce(1, p.chunk(0)));
      co_yield together(send(1, p.all()));
    } else {
      co_yield together(send(0, p.chunk(0)));
      co_yield together(replace(0, p.all()));
    }
  });
  std::atomic<int> right = 0;
  on_threads(2, [&](Communicator& communicator) {
    const std::int32_t mine = communicator.rank() == 0 ? 1 : 10;
    const std::vector<std::int32_t> from{mine, mine};
    std::vector<std::int32_t> into{-1, -1};
    HostPlan plan(algorithm, {.ranks = 2, .elements = 2}, communicator.rank(), {DType::int32});
    for (int again = 0; again < 2; ++again) {
      plan.run(communicator, std::as_bytes(std::span(from)),
               std::as_writable_bytes(std::span(into)));
      right += into == std::vector<std::int32_t>{11, 1};
    }
  });
  CHECK(right == 4);
}

TEST_CASE("a plan refuses another size") {
  on_threads(1, [](Communicator& communicator) {
    HostPlan plan(find_algorithm("ring"), {.elements = 2}, 0, {DType::float32});
    Vector data(12);
    CHECK_THROWS_WITH(plan.run(communicator, data), contains("8 bytes") && contains("12 bytes"));
    HostPlan two(find_algorithm("ring"), {.ranks = 2, .elements = 3}, 0, {DType::float32});
    CHECK_THROWS_WITH(two.run(communicator, data), contains("2 ranks"));
    CHECK_THROWS_WITH(HostPlan(find_algorithm("trivance"), {.ranks = 4}, 0, {}),
                      contains("trivance"));
  });
}

TEST_CASE("a plan's memory traffic: of a ring, every rank adds and stores all chunks but one") {
  for (const Rank ranks : {1, 2, 4, 5}) {
    const Count chunk = 6;
    HostPlan plan(find_algorithm("ring"), {.ranks = ranks, .elements = ranks * chunk}, 0,
                  {DType::float64});
    CHECK(plan.memory_traffic() == (3 + 2) * (ranks - 1) * chunk * 8);
  }
}
