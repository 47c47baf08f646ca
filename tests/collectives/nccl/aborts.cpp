// A rank that stays away is an error of the others also while graphs have their messages, for which
// NCCL's abort waits, on the stand-in (tests/fakes/cuda).
#include "collectives/backends/backend.hpp"
#include "collectives/cuda/device.hpp"
#include "collectives/nccl/nccl.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr double kPatience = 2;
const Problem kProblem{.ranks = 2, .elements = 1009};

/// Calls prepare(executor) on two ranks, which returns what rank 0 then runs alone. Returns its
/// failure.
template <class Prepare>
std::string failure_alone(Prepare prepare) {
  fake_cuda::restart(fake_cuda::with_devices(2));
  Job job;
  const std::string text = failure([&] {
    find_backend("nccl").run(job, {.ranks = 2, .patience = {.seconds = kPatience}},
                             [&](Executor& executor) {
                               auto run = prepare(executor);
                               executor.control().barrier();
                               if (executor.control().rank() == 0) run();
                               executor.control().barrier();  // the failure of rank 0 ends it
                             });
  });
  CHECK(fake_cuda::take_problems().empty());  // such as an abort that waits for ever
  CHECK(fake_cuda::alive() == "");
  return text;
}

}  // namespace

TEST_CASE("NCCL's aborts: with the graph of a vector on the host") {
  std::vector<float> data(static_cast<std::size_t>(kProblem.elements), 1);
  CHECK_THAT(failure_alone([&](Executor& executor) {
               auto run = [&executor, mine = data]() mutable {
                 executor.execute(find_algorithm("ring"), kProblem,
                                  std::as_writable_bytes(std::span(mine)), {}, 1);
               };
               run();
               return run;
             }),
             contains("has waited for 2 s for its messages"));
}

TEST_CASE("NCCL's aborts: with graphs on registered memory, which outlives both") {
  CHECK_THAT(failure_alone([&](Executor& executor) {
               Workload& workload = executor.workload();
               workload.load(kProblem, {});
               executor.baseline().use("");  // registers it
               const auto run = [&workload] {
                 for (const char* const name : {"ring", "tree"}) {
                   const RunRequest request{.algorithm = &find_algorithm(name)};
                   workload.reset(request);
                   workload.run(request, 1);
                 }
               };
               run();
               return run;
             }),
             contains("has waited for 2 s for its messages"));
}

TEST_CASE("NCCL's aborts: what was prepared does not run any more") {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  on_threads(1, [&](Communicator& control) {
    const auto transport = nccl_transport(control, *devices.front());
    RankExecutor rank(control, *devices.front(), *transport);
    const DeviceMemory data = devices.front()->allocate(4);
    auto prepared = rank.prepare(find_algorithm("ring"), {.ranks = 1, .elements = 1}, data.data(),
                                 {DType::float32, Op::sum}, 1);
    rank.run(prepared);
    rank.synchronize();
    rank.abort();
    CHECK_THAT(failure([&] { rank.run(prepared); }), contains("was aborted on this GPU"));
  });
  devices.clear();
  CHECK(fake_cuda::alive() == "");
}
