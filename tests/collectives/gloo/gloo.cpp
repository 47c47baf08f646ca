// Gloo's allreduces on threads, each with its own connections: all types, operations, and row
// names.
#include "collectives/gloo/gloo.hpp"

#include <atomic>

#include "algorithms/base/error.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

ConnectLibrary connect(double patience = 60) {
  return [patience](Communicator& control) { return gloo_baseline(control, patience); };
}

Count wrong_after(Baseline& gloo, Communicator& control, const std::string& algorithm,
                  Count elements, Operand operand) {
  const Problem problem{.ranks = control.ranks(), .elements = elements};
  std::vector<std::byte> data(static_cast<std::size_t>(elements) * size_of(operand.dtype));
  Count wrong = 0;
  gloo.use(algorithm);
  for (int run = 0; run < 2; ++run) {  // the second one reuses what the first has made
    fill(data, operand, problem, control.rank());
    control.barrier();
    gloo.run(problem, data.data(), data.data(), operand);
    wrong += wrong_elements(data, operand, problem, control.rank());
    control.barrier();
  }
  gloo.use("");
  return control.sum(wrong);
}

}  // namespace

TEST_CASE("gloo: every algorithm gives the pattern's answer, for all its types and operations") {
  for (const Rank ranks : {1, 2, 3, 4, 5}) {
    std::string wrong;
    on_threads(ranks, [&](Communicator& control) {
      const auto gloo = connect()(control);
      for (const std::string& algorithm : gloo->algorithms())
        for (const DType dtype : kDTypes)
          for (const Op op : kOps)
            for (const Count elements : {0, 1, 3, 10'007}) {
              if (!gloo->unsupported(algorithm, {dtype, op}).empty()) continue;
              if (wrong_after(*gloo, control, algorithm, elements, {dtype, op}) != 0 &&
                  control.rank() == 0)
                wrong += algorithm + " of " + std::to_string(elements) + " " +
                         std::string(name(dtype)) + " " + std::string(name(op)) + "\n";
            }
    });
    INFO(ranks << " ranks");
    CHECK(wrong == "");
  }
}

TEST_CASE("gloo: a patience of 0 is none, not no time") {
  std::atomic<Count> wrong = 0;
  on_threads(3, [&](Communicator& control) {
    const auto gloo = connect(0)(control);
    wrong += wrong_after(*gloo, control, "gloo:ring", 100'000, {DType::float32, Op::sum});
  });
  CHECK(wrong == 0);
}

TEST_CASE("gloo: types without arithmetic and unknown algorithms are refused") {
  on_threads(1, [&](Communicator& control) {
    const auto gloo = connect()(control);
    CHECK(gloo->algorithms() == std::vector<std::string>{"gloo:ring", "gloo:bcube",
                                                         "gloo:ring_chunked",
                                                         "gloo:halving_doubling"});
    CHECK(gloo->unsupported("gloo:ring", {DType::bfloat16, Op::sum}) ==
          "Gloo has no arithmetic for bfloat16");
    CHECK(gloo->unsupported("gloo:ring", {DType::float16, Op::sum}).empty());
    std::byte two[2] = {};
    const Problem one{.elements = 1}, many{.elements = Count{1} << 29};
    CHECK_THROWS_WITH(gloo->run(one, two, two, {DType::float16, Op::sum}),
                      contains("no native allreduce"));  // none is in use
    CHECK_THROWS_WITH(gloo->use("gloo:rign"), contains("did you mean 'ring'?"));
    gloo->use("gloo:ring");
    CHECK_THROWS_WITH(gloo->run(one, two, two, {DType::bfloat16, Op::sum}),
                      contains("no arithmetic for bfloat16"));
    gloo->use("gloo:ring_chunked");
    CHECK_THROWS_WITH(gloo->run(many, two, two, {DType::float32, Op::sum}),
                      contains("counts at most 2147483647"));
  });
}

TEST_CASE("gloo: rows of an executor, in place, out of place, and back to back") {
  on_threads(3, [&](Communicator& control) {
    HostExecutor executor(control, connect());
    const std::vector<std::string> rows = executor.other_baseline().algorithms();
    CheckedRunner runner(executor);
    Count wrong = 0;
    for (const Count elements : {0, 5, 4099})
      for (const std::string& row : rows) {
        runner.load_input({.ranks = 3, .elements = elements}, {DType::float32, Op::sum});
        for (const bool in_place : {true, false})
          wrong += runner.run({.mode = {in_place, 3, false}, .native = row}).wrong;
      }
    wrong = control.sum(wrong);
    if (control.rank() != 0) return;
    CHECK(wrong == 0);
    CHECK(rows.size() == 4);
    CHECK(executor.baseline_of(rows.front()).label(rows.front()) == "Gloo:ring (TCP)");
    CHECK(executor.other_baseline().unsupported(rows.front(), {DType::bfloat16, Op::sum}) != "");
    CHECK(executor.baseline().unsupported("", {DType::bfloat16, Op::sum}) == "");
  });
}

TEST_CASE("gloo: an executor without it says so") {
  on_threads(1, [&](Communicator& control) {
    HostExecutor executor(control);
    CHECK_THROWS_WITH(executor.other_baseline(), contains("no rows of Gloo on this backend"));
    CHECK_THROWS_WITH(executor.baseline_of("gloo:ring"), contains("no rows of Gloo"));
  });
}

TEST_CASE("gloo: a rank that does not come is an error after the patience") {
  std::atomic<int> failures = 0;
  on_threads(2, [&](Communicator& control) {
    const auto gloo = connect(0.3)(control);
    gloo->use("gloo:ring");
    std::vector<float> data(1000);
    if (control.rank() == 0) {
      const std::string text = failure([&] {
        std::byte* const vector = std::as_writable_bytes(std::span(data)).data();
        gloo->run({.ranks = 2, .elements = 1000}, vector, vector, {});
      });
      if (text.starts_with("3: Gloo's ring failed: ")) ++failures;
    }
    control.barrier();
  });
  CHECK(failures == 1);
}
