// Conformance of virtual ranks, on host devices whose streams run in disorder and whose graphs run
// in any order that their edges allow: what a GPU may do, it does now and then.
#include "collectives/gpu/colocated_executor.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/on_devices.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

using Row = std::vector<std::int32_t>;

/// Runs the program with one int32 a chunk, which starts as 10^rank; returns all ranks' memory,
/// which must be the same enqueued and as a graph, with and without reading peers.
std::vector<Row> run(Rank ranks, Program (*program)(Problem, Rank)) {
  std::vector<Row> first;
  for (const bool peers : {true, false})
    for (const bool as_graph : {false, true})
      for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        Devices devices = host_devices({.count = 2, .peers = peers, .disorder = seed});
        ColocatedExecutor on(devices, ranks, 1);
        const std::size_t bytes = static_cast<std::size_t>(ranks) * sizeof(std::int32_t);
        std::vector<DeviceMemory> memory;
        std::vector<std::byte*> data;
        std::int32_t mine = 1;
        for (Rank rank = 0; rank < ranks; ++rank, mine *= 10) {
          memory.push_back(on.device_of(rank).allocate(bytes));
          data.push_back(memory.back().data());
          const Row row(static_cast<std::size_t>(ranks), mine);
          std::memcpy(data.back(), row.data(), bytes);
        }
        auto prepared = on.prepare(tried(program), {.ranks = ranks, .elements = ranks}, data,
                                   {DType::int32, Op::sum}, 1, as_graph);
        on.run(prepared);
        on.synchronize();
        std::vector<Row> rows(static_cast<std::size_t>(ranks),
                              Row(static_cast<std::size_t>(ranks)));
        for (std::size_t rank = 0; rank < rows.size(); ++rank)
          std::memcpy(rows[rank].data(), data[rank], bytes);
        if (first.empty()) first = rows;
        INFO("peers " << peers << ", graph " << as_graph << ", seed " << seed);
        CHECK(rows == first);
      }
  return first;
}

}  // namespace

TEST_CASE("virtual ranks: the whole catalog, enqueued and as a graph") {
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 5})) {
    Devices devices = host_devices({.disorder = 11u + static_cast<std::uint32_t>(ranks)});
    ColocatedExecutor on(devices, ranks, 2);
    conformance::for_all_problems(
        ranks, conformance::odd_lengths(ranks), ranks / 2,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          const Operand operand{DType::float32, Op::sum};
          for (const bool as_graph : {false, true}) {
            INFO(conformance::text_of(algorithm, problem, operand, segments)
                 << " graph " << as_graph);
            CHECK(conformance::run(on, algorithm, problem, operand, segments, as_graph) ==
                  conformance::kGood);
          }
        });
  }
}

TEST_CASE("virtual ranks: all types and operations") {
  for (const Rank ranks : {3, 4}) {
    Devices devices = host_devices({.disorder = 5});
    ColocatedExecutor on(devices, ranks, 2);
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
          const Problem problem{.ranks = ranks, .elements = 1003};
          INFO(conformance::text_of(algorithm, problem, {dtype, op}, 2));
          CHECK(conformance::run(on, algorithm, problem, {dtype, op}, 2, true) ==
                conformance::kGood);
        }
  }
}

TEST_CASE("virtual ranks on several devices, that read one another's memory or do not") {
  for (const bool peers : {true, false})
    for (const int count : {2, 3}) {
      Devices devices = host_devices({.count = count, .peers = peers, .disorder = 3});
      ColocatedExecutor on(devices, 5, 1);
      CHECK(&on.device_of(0) == devices.front().get());
      CHECK(&on.device_of(4) == devices.back().get());
      for (const Algorithm& algorithm : algorithms())
        for (const bool as_graph : {false, true}) {
          const Problem problem = grouped(algorithm, {.ranks = 5, .elements = 1009});
          if (!unsupported(algorithm, problem).empty()) continue;
          INFO(algorithm.name << " peers " << peers << " graph " << as_graph);
          CHECK(conformance::run(on, algorithm, problem, {DType::int64, Op::avg}, 3, as_graph) ==
                conformance::kGood);
        }
    }
}

TEST_CASE("virtual ranks: any number of streams gives the same, again and again") {
  for (const int streams : {1, 2, 5}) {
    Devices devices = host_devices({.disorder = 17});
    ColocatedExecutor on(devices, 4, streams);
    for (const Algorithm& algorithm : algorithms())
      for (const bool as_graph : {false, true}) {
        const Problem problem = grouped(algorithm, {.ranks = 4, .elements = 2003});
        if (!unsupported(algorithm, problem).empty()) continue;
        INFO(algorithm.name << " streams " << streams);
        CHECK(conformance::run(on, algorithm, problem, {DType::float16, Op::max}, 5, as_graph, 3) ==
              conformance::kGood);
      }
  }
}

TEST_CASE("virtual ranks: a send has the value at the round's start") {
  const auto memory = run(2, [](Problem p, Rank me) -> Program {
    co_yield together(reduce(1 - me, p.all()), send(1 - me, p.all()));
    co_yield together(replace(1 - me, p.chunk(0)), send(1 - me, p.chunk(1)));
  });
  CHECK(memory[0] == Row{11, 11});
  CHECK(memory[1] == Row{11, 11});
}

TEST_CASE("virtual ranks: memory is not changed before all have read it") {
  const auto memory = run(3, [](Problem p, Rank me) -> Program {
    if (me == 0) {
      co_yield send(1, p.all());
      co_yield reduce(2, p.all());
      co_yield send(1, p.chunk(2));
    }
    if (me == 1) {
      co_yield reduce(0, p.all());
      co_yield replace(0, p.chunk(2));
    }
    if (me == 2) co_yield send(0, p.all());
  });
  CHECK(memory[0] == Row{101, 101, 101});
  CHECK(memory[1] == Row{11, 11, 101});
}

TEST_CASE("virtual ranks: several messages between two ranks in one round meet in order") {
  const auto memory = run(2, [](Problem p, Rank me) -> Program {
    if (me == 0)
      co_yield together(send(1, p.chunk(0)), send(1, p.chunk(1)), send(1, p.chunk(0)));
    else
      co_yield together(replace(0, p.chunk(0)), reduce(0, p.chunk(1)), reduce(0, p.chunk(1)));
  });
  CHECK(memory[1] == Row{1, 12});
}

TEST_CASE("virtual ranks: reductions of a round apply in listed order") {
  // The later listed one comes first: in float32, (2^24 + 1) + 1 = 2^24, but (1 + 1) + 2^24 =
  // 2^24+2.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield together(reduce(2, p.all()), reduce(1, p.all()));
    if (me == 1) co_yield send(0, p.all());
    if (me == 2) {
      co_yield replace(3, p.chunk(3));
      co_yield send(0, p.all());
    }
    if (me == 3) co_yield send(2, p.chunk(3));
  };
  Devices devices = host_devices({.disorder = 1});
  ColocatedExecutor on(devices, 4, 1);
  std::vector<DeviceMemory> memory;
  std::vector<std::byte*> data;
  for (const float mine : {1.0f, 0x1p24f, 1.0f, 1.0f}) {
    memory.push_back(devices[0]->allocate(16));
    const float row[4] = {mine, mine, mine, mine};
    std::memcpy(memory.back().data(), row, sizeof(row));
    data.push_back(memory.back().data());
  }
  auto prepared = on.prepare(tried(program), {.ranks = 4, .elements = 4}, data, {}, 1, false);
  on.run(prepared);
  on.synchronize();
  float result = 0;
  std::memcpy(&result, data[0], sizeof(result));
  CHECK(result == 0x1p24f + 2);
  CHECK(on.microseconds() > 0);
}

TEST_CASE("virtual ranks: traffic is what the kernels read and write") {
  Devices devices = host_devices();
  ColocatedExecutor on(devices, 4);
  const auto traffic = [&](const char* name, Operand operand) {
    const Problem problem{.ranks = 4, .elements = 1000};
    conformance::Vectors vectors(on, problem, operand);
    return on.prepare(find_algorithm(name), problem, vectors.data(), operand, 1, false).traffic();
  };
  // Ring: 3 x 4 messages of a quarter are reduced and as many replaced.
  CHECK(traffic("ring", {}) == 12 * 250 * 4 * (3 + 2));
  // Butterfly: every rank copies what it sends and changes, then reduces, in 2 rounds.
  CHECK(traffic("butterfly", {}) == 4 * 2 * 1000 * 4 * (2 + 3));
  // All to all: every rank copies what it sends and changes, then adds three others in one pass.
  CHECK(traffic("all_to_all", {}) == 4 * 1000 * 4 * (2 + 5));
  CHECK(traffic("ring", {DType::float64, Op::avg}) == 12 * 250 * 8 * 5 + 4 * 1000 * 8 * 2);
}

TEST_CASE("virtual ranks: what does not fit is refused") {
  Devices devices = host_devices();
  CHECK_THROWS_WITH(ColocatedExecutor(devices, 0), contains("0 ranks"));
  CHECK_THROWS_WITH(ColocatedExecutor(devices, kMaxDeviceRanks + 1), contains("257 ranks"));
  ColocatedExecutor on(devices, 2);
  const std::vector<std::byte*> data(2);
  CHECK_THROWS_WITH(
      on.prepare(find_algorithm("ring"), {.ranks = 3, .elements = 2}, data, {}, 1, false),
      contains("3 ranks"));
}
