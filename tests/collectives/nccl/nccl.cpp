// On GPUs: the whole catalog through NCCL, one process with a thread for each GPU, and
// ncclAllReduce itself, which checks the pattern with code that nobody here wrote.
#include "collectives/nccl/nccl.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "collectives/verifiable_input.hpp"
#include "tests/support/failures.hpp"
#include "tests/support/gpu_main.hpp"
#include "tests/support/lonely.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Calls `use(communicator, rank with its device)` on every GPU, and collects the reports on rank
/// 0; of many lines the first.
template <class Use>
std::string on_all_gpus(Use use) {
  Devices devices = cuda::devices();
  std::string wrong;
  on_threads(static_cast<Rank>(devices.size()), [&](Communicator& threads) {
    Device& device = *devices[static_cast<std::size_t>(threads.rank())];
    const auto transport = nccl_transport(threads, device);
    RankExecutor rank(threads, device, *transport);
    use(threads, rank, [&](Count count, const std::string& what) {
      const Count all = threads.sum(count);
      if (threads.rank() == 0 && all != 0 && wrong.size() < 1000) wrong += what + "\n";
    });
  });
  return wrong;
}

/// Fills, runs and counts what is wrong on this rank.
template <class Run>
Count wrong_after(Communicator& threads, RankExecutor& rank, const Problem& problem,
                  Operand operand, Run run) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  const DeviceMemory data = rank.own_device().allocate(bytes),
                     host = rank.own_device().allocate(bytes, MemoryKind::pinned);
  fill({host.data(), bytes}, operand, problem, threads.rank());
  rank.stream().copy(data.data(), host.data(), bytes);
  threads.barrier();  // allocating may wait for a peer's stream that waits for this rank
  run(data.data());
  rank.stream().copy(host.data(), data.data(), bytes);
  rank.synchronize();
  return wrong_elements({host.data(), bytes}, operand, problem, threads.rank());
}

}  // namespace

TEST_CASE("nccl: the whole catalog, all types and operations") {
  CHECK(on_all_gpus([](Communicator& threads, RankExecutor& rank, auto tell) {
          const auto kinds = conformance::each_kind_of_message();
          for (const DType dtype : kDTypes)
            for (const Op op : kOps)
              for (const Count elements : {0, 1, 1009})
                for (const Algorithm& algorithm : algorithms()) {
                  const bool is_kind =
                      std::any_of(kinds.begin(), kinds.end(),
                                  [&](const Algorithm& k) { return k.name == algorithm.name; });
                  if ((dtype != DType::float32 || op != Op::sum) && (!is_kind || elements < 2))
                    continue;
                  const Problem problem =
                      grouped(algorithm, {.ranks = threads.ranks(), .elements = elements});
                  if (!unsupported(algorithm, problem).empty()) continue;
                  const Operand operand{dtype, op};
                  tell(wrong_after(threads, rank, problem, operand,
                                   [&](std::byte* data) {
                                     auto prepared =
                                         rank.prepare(algorithm, problem, data, operand, 2);
                                     threads.barrier();
                                     rank.run(prepared);
                                     rank.synchronize();
                                   }),
                       conformance::text_of(algorithm, problem, operand, 2));
                }
        }) == "");
}

TEST_CASE("nccl: two waves of lanes, the one applied while the other travels") {
  CHECK(on_all_gpus([](Communicator& threads, RankExecutor& rank, auto tell) {
          rank.overlap_from(0);
          for (const char* const name : {"ring", "double_tree", "rabenseifner", "all_to_all"})
            for (const int segments : {2, 3}) {
              const Problem problem{.ranks = threads.ranks(), .elements = 100'003};
              const Algorithm& algorithm = find_algorithm(name);
              const Operand operand{DType::float32, Op::avg};
              if (!unsupported(algorithm, problem).empty()) continue;
              tell(wrong_after(threads, rank, problem, operand,
                               [&](std::byte* data) {
                                 auto prepared =
                                     rank.prepare(algorithm, problem, data, operand, segments);
                                 threads.barrier();
                                 rank.run(prepared);
                                 rank.run(prepared);  // the same average again
                                 rank.synchronize();
                               }),
                   conformance::text_of(algorithm, problem, operand, segments));
            }
        }) == "");
}

TEST_CASE("nccl: ncclAllReduce gives the pattern's answer") {
  CHECK(on_all_gpus([](Communicator& threads, RankExecutor& rank, auto tell) {
          for (const DType dtype : kDTypes)
            for (const Op op : kOps)
              for (const Count elements : {0, 1, 100'003}) {
                const Problem problem{.ranks = threads.ranks(), .elements = elements};
                const Operand operand{dtype, op};
                tell(wrong_after(threads, rank, problem, operand,
                                 [&](std::byte* data) { rank.run_native(problem, data, operand); }),
                     std::string(name(dtype)) + " " + std::string(name(op)));
              }
        }) == "");
}

TEST_CASE("nccl: vectors on the host travel between the GPUs, whole catalog and ncclAllReduce") {
  Devices devices = cuda::devices();
  const auto ranks = static_cast<Rank>(devices.size());
  conformance::Failures failures;
  on_threads(ranks, [&](Communicator& threads) {
    Device& device = *devices[static_cast<std::size_t>(threads.rank())];
    const auto transport = nccl_transport(threads, device);
    StagedExecutor staged(threads, device, *transport);
    const Operand operand{DType::float32, Op::sum};
    const auto try_out = [&](const Problem& problem, const std::string& what, auto run) {
      std::vector<std::byte> data(static_cast<std::size_t>(problem.elements) * sizeof(float));
      fill(data, operand, problem, threads.rank());
      run(data);
      failures.expect_good(
          threads, {threads.sum(wrong_elements(data, operand, problem, threads.rank())), 0}, what);
    };
    conformance::for_all_problems(
        ranks, conformance::odd_lengths(ranks), 0,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          try_out(problem, conformance::text_of(algorithm, problem, operand, segments),
                  [&](auto& data) { staged.execute(algorithm, problem, data, operand, segments); });
        });
    for (const Count elements : {0, 1, 100'003})
      try_out({.ranks = ranks, .elements = elements}, "ncclAllReduce",
              [&](auto& data) { staged.native_allreduce(data, operand); });
  });
  failures.check();
}

TEST_CASE("nccl: a rank that does not come is an error, not a hang") {
  Devices devices = cuda::devices();
  Lonely lonely;
  CHECK_THROWS_AS(
      nccl_transport(lonely, *devices.front(), RankExecutor::Seconds(60), RankExecutor::Seconds(3)),
      Error);
}
