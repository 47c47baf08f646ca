#include "bench/measure/measure.hpp"

#include <stdexcept>

#include "collectives/host/host_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/relaying_communicator.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

constexpr MeasureOptions kFewRuns{.seconds = 0, .min_runs = 5, .max_runs = 20};

std::vector<Config> all_kinds_of(Problem problem, Operand operand) {
  std::vector<Config> configs;
  for (const Algorithm& a : algorithms())
    if (unsupported(a, problem).empty()) configs.push_back({&a, problem, operand, 1});
  return configs;
}

// The measurements, by rank.
std::vector<std::vector<Measurement>> on_each_rank(const std::vector<Config>& configs,
                                                   const MeasureOptions& options = kFewRuns) {
  const Rank ranks = configs.front().problem.ranks;
  std::vector<std::vector<Measurement>> all(static_cast<std::size_t>(ranks));
  on_threads(ranks, [&](Communicator& c) {
    HostExecutor executor(c);
    all[static_cast<std::size_t>(c.rank())] = measure(executor, configs, options);
  });
  return all;
}

// Forwards all calls, but corrupts what rank 0 received, in every n-th round with a message to
// store.
class Corrupting : public RelayingCommunicator {
 public:
  Corrupting(Communicator& inner, int every) : RelayingCommunicator(inner), every_(every) {}
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    received_ = nullptr;
    for (const Transfer& t : round)
      if (t.kind == ActionKind::replace) received_ = t.data;
    inner_.start(lane, round, operand);
  }
  int wait() override {
    const int lane = inner_.wait();
    if (rank() == 0 && received_ && ++times_ % every_ == 0) *received_ = ~*received_;
    return lane;
  }

 private:
  int every_, times_ = 0;
  std::byte* received_ = nullptr;
};

// Rank 0 is a worker, which receives the result once per run.
Count wrong_when_corrupted(int every) {
  const Problem problem{.ranks = 3, .elements = 50, .root = 1};
  const std::vector<Config> configs{{&find_algorithm("master_worker"), problem, {}, 1}};
  std::vector<Count> wrong(3);
  on_threads(3, [&](Communicator& c) {
    Corrupting corrupting(c, every);
    HostExecutor executor(corrupting);
    wrong[static_cast<std::size_t>(c.rank())] = measure(executor, configs, kFewRuns).front().wrong;
  });
  CHECK(wrong[1] == wrong[0]);
  CHECK(wrong[2] == wrong[0]);
  return wrong[0];
}

}  // namespace

TEST_CASE("measured costs equal the cost models, and results are right") {
  for (const Rank ranks : {1, 2, 5})
    for (const Count elements : {0, 3, 1000}) {
      const auto configs = all_kinds_of({.ranks = ranks, .elements = elements}, {});
      for (const auto& measured : on_each_rank(configs))
        for (std::size_t i = 0; i < configs.size(); ++i) {
          INFO(configs[i].algorithm->name << " " << ranks << " " << elements);
          REQUIRE(measured[i].wrong == 0);
          const Algorithm& algorithm = *configs[i].algorithm;
          Cost claimed = predicted_cost(algorithm, configs[i].problem);
          claimed.rounds = most_rounds(algorithm, configs[i].problem);
          REQUIRE(measured[i].sent == claimed);
          REQUIRE(measured[i].time_us.samples == kFewRuns.min_runs);
          REQUIRE(measured[i].time_us.min > 0);
          REQUIRE(measured[i].time_us.min <= measured[i].time_us.low);
          REQUIRE(measured[i].time_us.low <= measured[i].time_us.median);
          REQUIRE(measured[i].time_us.median <= measured[i].time_us.high);
          REQUIRE(measured[i].time_us.high <= measured[i].time_us.p99);
        }
    }
}

TEST_CASE("all types, operations and collectives are measured right") {
  for (const Collective collective : kCollectives)
    for (const DType dtype : kDTypes)
      for (const Op op : kOps) {
        const Problem problem{.collective = collective, .ranks = 3, .elements = 10, .root = 1};
        const auto configs = all_kinds_of(problem, {dtype, op});
        REQUIRE_FALSE(configs.empty());
        const auto measured = on_each_rank(configs, {.seconds = 0, .min_runs = 2, .max_runs = 2});
        for (std::size_t i = 0; i < configs.size(); ++i) {
          INFO(configs[i].algorithm->name << " " << name(collective) << " " << name(dtype) << " "
                                          << name(op));
          REQUIRE(measured[0][i].wrong == 0);
        }
      }
}

TEST_CASE("all ranks get the same result") {
  const auto all = on_each_rank(all_kinds_of({.ranks = 4, .elements = 100}, {}));
  for (const auto& measured : all)
    for (std::size_t i = 0; i < measured.size(); ++i) {
      CHECK(measured[i].time_us.median == all[0][i].time_us.median);
      CHECK(measured[i].time_us.samples == all[0][i].time_us.samples);
      CHECK(measured[i].sent == all[0][i].sent);
    }
}

TEST_CASE("segments are measured as what they send") {
  const std::vector<Config> configs{
      {&find_algorithm("tree"), {.ranks = 4, .elements = 1000}, {}, 3}};
  const Measurement m = on_each_rank(configs)[0][0];
  CHECK(m.wrong == 0);
  CHECK(m.sent == predicted_cost(*configs[0].algorithm, configs[0].problem, 3));
}

TEST_CASE("the number of runs follows the time, within bounds") {
  const auto configs = all_kinds_of({.ranks = 2, .elements = 10}, {});
  const auto patient = on_each_rank(configs, {.seconds = 3600, .min_runs = 5, .max_runs = 12});
  for (const Measurement& m : patient[0]) CHECK(m.time_us.samples == 12);
  const auto hasty = on_each_rank(configs, {.seconds = 0, .min_runs = 7, .max_runs = 12});
  for (const Measurement& m : hasty[0]) CHECK(m.time_us.samples == 7);
  // Each run takes 20 ms, because rank 1 enters late: 10 of them in 200 ms, and none in 10 ms.
  MeasureOptions options{
      .seconds = 0.2, .min_runs = 1, .max_runs = 1000, .late_rank = 1, .late_seconds = 0.02};
  const std::vector<Config> one{configs[0]};
  const std::int64_t samples = on_each_rank(one, options)[0][0].time_us.samples;
  CHECK(samples >= 1);
  CHECK(samples <= 10);
  options.seconds = 0.01;
  CHECK(on_each_rank(one, options)[0][0].time_us.samples == 1);
}

TEST_CASE("no run begins after a time that is a limit") {
  const std::vector<Config> configs{{&find_algorithm("ring"), {.ranks = 2, .elements = 10}, {}, 1}};
  // Every run takes 20 ms, because rank 1 enters late.
  MeasureOptions options{.seconds = 0.05, .limited = true, .late_rank = 1, .late_seconds = 0.02};
  const std::int64_t samples = on_each_rank(configs, options)[0][0].time_us.samples;
  CHECK(samples >= 1);
  CHECK(samples <= 2);     // and one to find out how long they take
  options.seconds = 0.01;  // passed when that one has ended, which then counts
  CHECK(on_each_rank(configs, options)[0][0].time_us.samples == 1);
  options.precision = 0.01;
  CHECK(on_each_rank(configs, options)[0][0].time_us.samples == 1);
}

TEST_CASE("an empty list of configurations gives no measurements") {
  on_threads(2, [](Communicator& c) {
    HostExecutor executor(c);
    if (!measure(executor, {}, kFewRuns).empty())
      throw std::logic_error("measured nothing, got something");
  });
}

TEST_CASE("one corrupted element of one rank is counted in any run") {
  const int runs = 2 + kFewRuns.min_runs;  // the first warms up, the second decides the number
  CHECK(wrong_when_corrupted(1) == runs);
  CHECK(wrong_when_corrupted(runs) == 1);
  CHECK(wrong_when_corrupted(runs + 1) == 0);
}
