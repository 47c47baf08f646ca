// measure() times and checks ranks on devices; here on fake GPUs, so on every machine.
#include "bench/measure/measure.hpp"
#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/round_transport.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

constexpr MeasureOptions kQuick{.seconds = 0, .min_runs = 3, .max_runs = 3};

std::vector<Config> all_of(const Problem& problem, Operand operand) {
  std::vector<Config> configs;
  for (const Algorithm& a : algorithms())
    if (unsupported(a, problem).empty()) configs.push_back({&a, problem, operand, 1});
  return configs;
}

}  // namespace

TEST_CASE("co-located ranks are measured, and right") {
  for (const bool as_graphs : {false, true})
    for (const Collective collective : kCollectives)
      for (const Operand operand :
           {Operand{DType::float16, Op::avg}, Operand{DType::int64, Op::min}}) {
        Devices devices = host_devices({.disorder = 31});
        ColocatedExecutor executor(devices, 3, ColocatedExecutor::kDefaultStreams, as_graphs);
        const Problem problem{.collective = collective, .ranks = 3, .elements = 100, .root = 1};
        const auto configs = all_of(problem, operand);
        const auto measured = measure(executor, configs, kQuick);
        for (std::size_t i = 0; i < configs.size(); ++i) {
          INFO(configs[i].algorithm->name << " " << name(collective) << " graphs " << as_graphs);
          CHECK(measured[i].wrong == 0);
          Cost claimed = predicted_cost(*configs[i].algorithm, problem);
          claimed.rounds = most_rounds(*configs[i].algorithm, problem);
          CHECK(measured[i].sent == claimed);
          CHECK(measured[i].time_us.samples == 3);
          CHECK(measured[i].time_us.median > 0);
          CHECK(measured[i].traffic > 0);
        }
      }
}

TEST_CASE("several sizes are measured one after the other on the same co-located ranks") {
  Devices devices = host_devices();
  ColocatedExecutor executor(devices, 4);
  for (const Count elements : {1000, 0, 3})
    for (const Measurement& m :
         measure(executor, all_of({.ranks = 4, .elements = elements}, {}), kQuick))
      CHECK(m.wrong == 0);
}

TEST_CASE("a rank with its own device is measured, and wrong elements are counted") {
  for (const int spoilt : {0, 4}) {
    Devices devices = host_devices({.count = 2, .peers = false});
    Count wrong = -1;
    double median = 0;
    on_threads(2, [&](Communicator& threads) {
      RoundTransport transport(threads, threads.rank() == 0 ? spoilt : 0);
      StagedExecutor executor(threads, *devices[static_cast<std::size_t>(threads.rank())],
                              transport);
      const std::vector<Config> configs{
          {&find_algorithm("all_to_all"), {.ranks = 2, .elements = 50}, {}, 1}};
      const auto measured = measure(executor, configs, kQuick);
      if (threads.rank() != 0) return;
      wrong = measured.front().wrong;
      median = measured.front().time_us.median;
    });
    CHECK(wrong == (spoilt == 0 ? 0 : 1));  // 5 runs of one group each: one is corrupted
    CHECK(median > 0);
  }
}
