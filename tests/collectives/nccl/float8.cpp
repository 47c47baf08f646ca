// NCCL's own collectives of 8-bit floats, on the stand-in: which versions and GPUs reduce them, and
// that moving them needs neither.
#include "collectives/backends/backend.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/nccl/float8_support.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr DType kFloat8[] = {DType::float8_e4m3, DType::float8_e5m2};

/// Calls `say(executor)` on two GPUs of that compute capability, and returns what it returns on
/// rank 0.
template <class Say>
std::string on_capability(int capability, Say say) {
  fake_cuda::Options options = fake_cuda::with_devices(2);
  options.capability = capability;
  fake_cuda::restart(options);
  std::string text;
  Job job;
  find_backend("nccl").run(job, {.ranks = 2}, [&](Executor& executor) {
    const std::string mine = say(executor);
    if (executor.control().rank() == 0) text = mine;
  });
  return text;
}

/// Runs NCCL's own collective on such elements.
std::string run(Executor& executor, Collective collective, DType dtype) {
  CheckedRunner runner(executor);
  runner.load_input({.collective = collective, .ranks = 2, .elements = 1006}, {dtype, Op::sum});
  const Count wrong = executor.control().sum(runner.run({}).wrong);
  return std::string(name(collective)) + (wrong == 0 ? "\n" : " is wrong\n");
}

}  // namespace

TEST_CASE("NCCL's 8-bit floats: versions and GPUs that reduce them") {
  CHECK(why_no_float8(22400, 22400, 90).empty());
  CHECK(why_no_float8(22809, 22809, 100).empty());
  CHECK(why_no_float8(22809, 22809, 89) ==
        "NCCL reduces 8-bit floats from compute capability 9.0 on, and a GPU here has 8.9: use an "
        "algorithm of ours");
  CHECK(why_no_float8(22809, 22304, 90) ==
        "this is NCCL 2.23, and 8-bit floats came with 2.24: use a newer one, or an algorithm of "
        "ours");
  CHECK_THAT(why_no_float8(22105, 22809, 90), contains("built with NCCL 2.21"));
}

TEST_CASE("NCCL's 8-bit floats: reduced from compute capability 9.0 on") {
  for (const DType dtype : kFloat8)
    CHECK(on_capability(90, [&](Executor& executor) {
            std::string text = executor.baseline().unsupported("", {dtype, Op::avg}) +
                               executor.baseline().unsupported("ring", {dtype, Op::sum});
            for (const Collective collective : kCollectives)
              text += run(executor, collective, dtype);
            return text;
          }) == "allreduce\nreduce_scatter\nall_gather\nreduce\nbroadcast\n");
}

TEST_CASE("NCCL's 8-bit floats: before, they are moved, and a reduction is refused") {
  const std::string why = why_no_float8(22809, 22809, 86);
  for (const DType dtype : kFloat8) {
    CHECK(on_capability(86, [&](Executor& executor) {
            return executor.baseline().unsupported("", {dtype, Op::sum}) + "\n" +
                   executor.baseline().unsupported("ring", {dtype, Op::sum}) + "\n" +
                   executor.baseline().unsupported("", {DType::bfloat16, Op::sum}) +
                   executor.baseline().unsupported("ring", {DType::bfloat16, Op::sum}) +
                   run(executor, Collective::all_gather, dtype) +
                   run(executor, Collective::broadcast, dtype);
          }) == why + "\n" + why + "\nall_gather\nbroadcast\n");
    CHECK(failure([&] {
            on_capability(86, [&](Executor& executor) {
              return run(executor, Collective::allreduce, dtype);
            });
          }) == "3: " + why);
  }
}
