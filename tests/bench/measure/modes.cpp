// Every mode of a run gives right results on every kind of executor, and finds wrong ones.
#include "bench/measure/measure.hpp"
#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/gpu/staged_executor.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/relaying_communicator.hpp"
#include "tests/support/round_transport.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

constexpr MeasureOptions kFew{.seconds = 0, .min_runs = 2, .max_runs = 2};

std::vector<Config> in_all_modes(const Problem& problem, Operand operand) {
  std::vector<Config> configs;
  for (const Algorithm& a : algorithms()) {
    if (!unsupported(a, problem).empty()) continue;
    for (const bool in_place : {true, false})
      for (const int repeats : {1, 3})
        for (const bool cold : {false, true}) {
          configs.push_back({&a, problem, operand, 1});
          configs.back().mode = {in_place, repeats, cold};
        }
  }
  return configs;
}

void check_all(const std::vector<Config>& configs, const std::vector<Measurement>& measured) {
  REQUIRE(measured.size() == configs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const std::string algorithm =
        configs[i].algorithm ? std::string(configs[i].algorithm->name) : "native";
    INFO(algorithm << " " << name(configs[i].problem.collective) << " in place "
                   << configs[i].mode.in_place << " repeats " << configs[i].mode.repeats);
    CHECK(measured[i].wrong == 0);
    CHECK(measured[i].time_us.samples == 2);
  }
}

// Drops every message that rank 0 should store.
class Dropping : public RelayingCommunicator {
 public:
  using RelayingCommunicator::RelayingCommunicator;
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    round_.assign(round.begin(), round.end());
    for (Transfer& t : round_)
      if (rank() == 0 && t.kind == ActionKind::replace) {
        lost_.resize(static_cast<std::size_t>(t.elements) * size_of(operand.dtype));
        t.data = lost_.data();
      }
    inner_.start(lane, round_, operand);
  }

 private:
  std::vector<Transfer> round_;
  std::vector<std::byte> lost_;
};

}  // namespace

TEST_CASE("modes: host memory, all collectives and algorithms") {
  for (const Collective collective : kCollectives)
    for (const Operand operand :
         {Operand{DType::float32, Op::sum}, Operand{DType::uint8, Op::max}}) {
      const auto configs =
          in_all_modes({.collective = collective, .ranks = 3, .elements = 50, .root = 1}, operand);
      std::vector<Measurement> measured;
      on_threads(3, [&](Communicator& c) {
        HostExecutor executor(c);
        auto mine = measure(executor, configs, kFew);
        if (c.rank() == 0) measured = std::move(mine);
      });
      check_all(configs, measured);
    }
}

TEST_CASE("modes: the native allreduce of host memory") {
  std::vector<Config> configs;
  for (const bool in_place : {true, false})
    for (const int repeats : {1, 3}) {
      configs.push_back({nullptr, {.ranks = 4, .elements = 37}, {DType::float16, Op::avg}, 1});
      configs.back().mode = {in_place, repeats, false};
    }
  std::vector<Measurement> measured;
  on_threads(4, [&](Communicator& c) {
    HostExecutor executor(c);
    auto mine = measure(executor, configs, kFew);
    if (c.rank() == 0) measured = std::move(mine);
  });
  check_all(configs, measured);
}

TEST_CASE("modes: co-located ranks on devices") {
  for (const bool as_graphs : {false, true})
    for (const Collective collective : {Collective::allreduce, Collective::broadcast}) {
      if (kSanitized && as_graphs != (collective == Collective::allreduce)) continue;
      Devices devices = host_devices({.disorder = 3});
      ColocatedExecutor executor(devices, 3, 2, as_graphs);
      const auto configs =
          in_all_modes({.collective = collective, .ranks = 3, .elements = 50, .root = 1}, {});
      const auto measured = measure(executor, configs, kFew);
      check_all(configs, measured);
      CHECK_FALSE(measured.front().late_entry);
    }
}

TEST_CASE("modes: a rank with its own device") {
  Devices devices = host_devices({.count = 2, .peers = false});
  auto configs = in_all_modes({.ranks = 2, .elements = 50}, {});
  for (const bool in_place : {true, false}) {
    configs.push_back({nullptr, {.ranks = 2, .elements = 50}, {}, 1});
    configs.back().mode = {in_place, 3, false};
  }
  std::vector<Measurement> measured;
  on_threads(2, [&](Communicator& threads) {
    RoundTransport transport(threads);
    StagedExecutor executor(threads, *devices[static_cast<std::size_t>(threads.rank())], transport);
    auto mine = measure(executor, configs, kFew);
    if (threads.rank() == 0) measured = std::move(mine);
  });
  check_all(configs, measured);
  CHECK(measured.front().late_entry);
}

TEST_CASE("modes: a result that is not stored is wrong, out of place and in streams, too") {
  for (const bool in_place : {true, false})
    for (const int repeats : {1, 3}) {
      Count wrong = -1;
      on_threads(2, [&](Communicator& c) {
        Dropping dropping(c);
        HostExecutor executor(dropping);
        std::vector<Config> configs{
            {&find_algorithm("master_worker"), {.ranks = 2, .elements = 50, .root = 1}, {}, 1}};
        configs.front().mode = {in_place, repeats, false};
        const auto measured = measure(executor, configs, kFew);
        if (c.rank() == 0) wrong = measured.front().wrong;
      });
      INFO("in place " << in_place << " repeats " << repeats);
      CHECK(wrong == 4 * 50);  // 2 runs, one that warms up and one that decides the number
    }
}

TEST_CASE("modes: co-located ranks cannot be late") {
  Devices devices = host_devices();
  ColocatedExecutor executor(devices, 2);
  const std::vector<Config> configs{{&find_algorithm("ring"), {.ranks = 2, .elements = 5}, {}, 1}};
  MeasureOptions late = kFew;
  late.late_rank = 0;
  CHECK(failure([&] { measure(executor, configs, late); }).find("cannot enter late") !=
        std::string::npos);
}

TEST_CASE("modes: until the interval is narrow, at most for the time") {
  std::vector<Config> configs{{&find_algorithm("ring"), {.ranks = 2, .elements = 5}, {}, 1}};
  std::vector<Measurement> loose, never;
  on_threads(2, [&](Communicator& c) {
    HostExecutor executor(c);
    MeasureOptions options{.seconds = 3600, .min_runs = 5, .max_runs = 200};
    options.precision = 0.99;
    auto first = measure(executor, configs, options);
    options.precision = 1e-12;
    auto second = measure(executor, configs, options);
    if (c.rank() == 0) loose = std::move(first), never = std::move(second);
  });
  CHECK(loose.front().time_us.samples < 200);
  CHECK(loose.front().time_us.samples >= 6);
  CHECK(never.front().time_us.samples >= 200);
}

TEST_CASE("modes: shuffled turns measure the same runs") {
  const auto configs = in_all_modes({.ranks = 2, .elements = 5}, {});
  std::vector<Measurement> measured;
  on_threads(2, [&](Communicator& c) {
    HostExecutor executor(c);
    MeasureOptions options = kFew;
    options.seed = 5;
    auto mine = measure(executor, configs, options);
    if (c.rank() == 0) measured = std::move(mine);
  });
  check_all(configs, measured);
}
