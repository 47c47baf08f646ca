// NCCL's own collectives run on registered memory, on the stand-in (tests/fakes/cuda); those of a
// chosen algorithm do not, since NCCL would run another one there.
#include "algorithms/base/error.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/host/checked_runner.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

struct Seen {
  long windowed = 0;
  Count wrong = 0;
  std::string choices;
};

/// What two runs each of NCCL's choice, of two of its algorithms, and of ours give.
Seen run_natives(bool windows) {
  fake_cuda::Options options;
  options.devices = 3;
  options.windows = windows;
  fake_cuda::restart(options);
  Seen seen;
  Job job;
  find_backend("nccl").run(job, {.ranks = 3}, [&](Executor& executor) {
    CheckedRunner runner(executor);
    Count wrong = 0;
    std::string choices;
    for (const Count elements : {0, 1, 1009, 5000}) {
      runner.load_input({.ranks = 3, .elements = elements}, {});
      const Algorithm& ring = find_algorithm("ring");
      for (int turn = 0; turn < 2; ++turn) {
        for (const char* const spec : {"", "ring:proto=ll", "tree"})
          wrong += runner.run({.native = spec}).wrong;
        wrong += runner.run({.algorithm = &ring}).wrong;
      }
      choices += runner.choice("") + "\n" + runner.choice("tree") + "\n";
    }
    const Count all = executor.control().sum(wrong);
    if (executor.control().rank() != 0) return;
    seen.wrong = all;
    seen.choices = choices;
  });
  seen.windowed = fake_cuda::counters().windowed;
  return seen;
}

}  // namespace

TEST_CASE("NCCL's windows: the allreduce of NCCL's own choice has its memory in one, no other") {
  const Seen seen = run_natives(true);
  CHECK(seen.wrong == 0);
  CHECK(seen.windowed == 3 * 2);  // sizes, turns; none without elements
  CHECK(seen.choices ==
        "memory without a window\nmemory without a window\nregistered\nmemory without a window\n"
        "registered\nmemory without a window\nregistered\nmemory without a window\n");
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("NCCL's windows: where NCCL makes none, memory is as it is, and the record says so") {
  const Seen seen = run_natives(false);
  CHECK(seen.wrong == 0);
  CHECK(seen.windowed == 0);
  CHECK(seen.choices.find("registered") == std::string::npos);
  CHECK(fake_cuda::alive() == "");
}

TEST_CASE("NCCL's windows: an algorithm that NCCL refuses leaves no window behind") {
  fake_cuda::Options options;
  options.devices = 2;
  fake_cuda::restart(options);
  Job job;
  std::string why;
  Count wrong = 1;
  find_backend("nccl").run(job, {.ranks = 2}, [&](Executor& executor) {
    CheckedRunner runner(executor);
    runner.load_input({.ranks = 2, .elements = 1009}, {});
    runner.run({});
    const std::string mine = executor.baseline().unsupported("nvls", {DType::float64, Op::max});
    const Count all = executor.control().sum(runner.run({.native = "nvls"}).wrong);
    if (executor.control().rank() != 0) return;
    why = mine;
    wrong = all;
  });
  CHECK(why == "NCCL cannot run nvls for max of float64 on these GPUs");
  CHECK(wrong == 0);
  CHECK(fake_cuda::alive() == "");
}
