// Conformance over shared memory, at whatever number of ranks the job has, with long messages read
// from their sender's memory and with long messages in fragments.
#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "algorithms/base/error.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/shm/shared_communicator.hpp"
#include "collectives/shm/slots.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/special_values.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

int library_allreduces = 0;  // calls on this rank

}  // namespace

// Stands in front of the library's own, by the profiling interface of MPI.
extern "C" int MPI_Allreduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  ++library_allreduces;
  return PMPI_Allreduce(from, into, count, type, op, comm);
}

namespace {

Communicator& shared(bool reads_peers = true) {
  static const std::unique_ptr<Communicator> both[] = {
      shared_communicator(*world, {.reads_peers = false}), shared_communicator(*world)};
  return *both[reads_peers ? 1 : 0];
}

[[maybe_unused]] const bool kills = (
    until_killed =
        [] {
          static std::vector<std::byte> data(1 << 20);
          shared().native_allreduce(data.data(), 1 << 18, {});
        },
    true);

// Whether other processes see what this one writes there, as /proc/self/maps says.
bool is_mapped_shared(const std::byte* data) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char access[5] = "";
    REQUIRE(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, access) == 3);
    const auto at = reinterpret_cast<unsigned long>(data);
    if (begin <= at && at < end) return access[3] == 's';
  }
  return false;
}

std::byte* bytes_of(std::vector<float>& v) { return reinterpret_cast<std::byte*>(v.data()); }

}  // namespace

TEST_CASE("shared memory: claimed = executed over the catalog, all collectives and roots") {
  const Rank ranks = world->ranks();
  for (const bool reads_peers : {true, false})
    for (const Rank root : {0, ranks - 1})
      conformance::for_all_problems(
          ranks, conformance::odd_lengths(ranks), root,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            const Operand operand{DType::int64, Op::sum};
            INFO(conformance::text_of(algorithm, problem, operand, segments));
            CHECK(conformance::run(shared(reads_peers), algorithm, problem, operand, segments) ==
                  conformance::kGood);
          });
}

// Messages that lie in one cell, in one buffer, in several, and with their sender.
TEST_CASE("shared memory: all kinds of messages") {
  for (const bool reads_peers : {true, false})
    for (const Count elements : {25, 8'192, 50'003, 400'003})
      for (const Algorithm& algorithm : algorithms())
        for (const Operand operand :
             {Operand{DType::float32, Op::sum}, Operand{DType::float16, Op::avg}}) {
          const Problem problem =
              grouped(algorithm, {.ranks = world->ranks(), .elements = elements});
          if (!unsupported(algorithm, problem).empty()) continue;
          if (kSanitized && elements > 100'000 && operand.op == Op::avg) continue;
          INFO(conformance::text_of(algorithm, problem, operand, 1) << ", " << reads_peers);
          CHECK(conformance::run(shared(reads_peers), algorithm, problem, operand, 1) ==
                conformance::kGood);
        }
}

TEST_CASE("shared memory: a report of what a message took keeps its parts") {
  for (const std::uint64_t nanoseconds :
       {std::uint64_t{0}, std::uint64_t{12'345}, std::uint64_t{1} << 46})
    for (const bool includes_posting : {false, true}) {
      const Report report = Report::of(Report{0xffff, includes_posting, nanoseconds}.packed());
      CHECK(report.sample == 0xffff);
      CHECK(report.includes_posting == includes_posting);
      CHECK(report.nanoseconds == nanoseconds);
    }
}

TEST_CASE("shared memory: more lanes than buffers") {
  for (const bool reads_peers : {true, false})
    for (const char* name : {"ring", "butterfly", "all_to_all"})
      for (const int segments : {5, 64}) {
        const Problem problem{.ranks = world->ranks(), .elements = 200'003};
        INFO(name << " in " << segments);
        CHECK(conformance::run(shared(reads_peers), find_algorithm(name), problem,
                               {DType::float32, Op::sum}, segments) == conformance::kGood);
      }
}

TEST_CASE("shared slices between processes: all types and operations") {
  CHECK(shared().baseline().name_of_allreduce() == "shared slices");
  for (const bool reads_peers : {true, false})
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        for (const Count elements : {0, 1, 3, 100'003}) {
          const Problem problem{.ranks = world->ranks(), .elements = elements};
          INFO(name(dtype) << " " << name(op) << " " << elements);
          CHECK(conformance::run_native(shared(reads_peers), problem, {dtype, op}) ==
                conformance::kGood);
        }
}

TEST_CASE("shared memory: replicas have the same bits after min and max of special values") {
  CHECK(special::wrong_replicas(shared(), false) == 0);
}

TEST_CASE("shared memory: the same bits as over MPI") {
  constexpr Count kElements = 100'003;
  for (const char* name : {"all_to_all", "butterfly", "master_worker", "ring"}) {
    INFO(name);
    const std::vector<float> expected = conformance::rounded_sums(*world, name, kElements);
    CHECK(conformance::rounded_sums(shared(), name, kElements) == expected);
    CHECK(conformance::rounded_sums(shared(false), name, kElements) == expected);
  }
}

TEST_CASE("shared memory: the library's own collectives and its own allreduce beside them") {
  HostExecutor executor(shared());
  CheckedRunner runner(executor);
  for (const Collective collective : kCollectives) {
    const Problem problem{.collective = collective, .ranks = world->ranks(), .elements = 1003};
    runner.load_input(problem, {DType::int64, Op::sum});
    for (const bool in_place : {true, false})
      CHECK(world->sum(runner.run({.mode = {in_place, 2, false}}).wrong) == 0);
  }
  CHECK(executor.baseline().label("library") == "MPI_Allreduce");
  CHECK(executor.baseline().label("ring") == "MPI_Allreduce:ring");
  runner.load_input({.ranks = world->ranks(), .elements = 77}, {});
  for (const char* spec : {"", "library", "", "library"}) {
    const int before = library_allreduces;
    const Count wrong = runner.run({.native = spec}).wrong;
    CHECK(library_allreduces == before + (*spec ? 1 : 0));
    CHECK(world->sum(wrong) == 0);
  }
}

TEST_CASE("shared memory: messages from one rank are taken in order, even if the first must wait") {
  if (world->ranks() < 3) return;
  Communicator& communicator = shared();
  const Operand operand{DType::float32, Op::sum};
  std::vector<float> late(5, 10), first(5, 1), second(5, 2), sum(5, 100), other(5, 100);
  const auto run = [&](std::span<const Transfer> round) {
    communicator.exchange(0, round, operand);
  };
  if (world->rank() == 2)
    run(std::vector<Transfer>{{ActionKind::send, 0, bytes_of(first), 5},
                              {ActionKind::send, 0, bytes_of(second), 5}});
  // The second receive adds to what the first one replaces, so it waits for rank 1.
  const Transfer round[] = {{ActionKind::replace, 1, bytes_of(sum), 5},
                            {ActionKind::reduce, 2, bytes_of(sum), 5},
                            {ActionKind::replace, 2, bytes_of(other), 5}};
  if (world->rank() == 0) communicator.start(0, round, operand);
  world->barrier();  // both messages of rank 2 are there
  if (world->rank() == 0)
    for (int k = 0; k < 100; ++k) CHECK(communicator.poll() == -1);
  world->barrier();
  if (world->rank() == 1) run(std::vector<Transfer>{{ActionKind::send, 0, bytes_of(late), 5}});
  if (world->rank() != 0) return;
  CHECK(communicator.wait() == 0);
  CHECK(sum == std::vector<float>(5, 11));
  CHECK(other == std::vector<float>(5, 2));
}

TEST_CASE("shared memory: messages of two lengths from memory that the round changes") {
  if (world->ranks() < 2) return;
  shared();  // which all ranks make together
  if (world->rank() > 1) return;
  constexpr Count kShort = 20'000, kLong = 50'000;  // with their sender, or in several buffers
  const Rank peer = 1 - world->rank();
  const auto input = [](Rank rank) {
    std::vector<float> data;
    for (Count i = 0; i < kLong; ++i) data.push_back(static_cast<float>(rank * kLong + i));
    return data;
  };
  for (const bool reads_peers : {true, false}) {
    std::vector<float> data = input(world->rank()), whole(kLong);
    const Transfer round[] = {{ActionKind::send, peer, bytes_of(data), kShort},
                              {ActionKind::send, peer, bytes_of(data), kLong},
                              {ActionKind::replace, peer, bytes_of(data), kShort},
                              {ActionKind::replace, peer, bytes_of(whole), kLong}};
    shared(reads_peers).exchange(0, round, {DType::float32, Op::sum});
    CHECK(whole == input(peer));
    const std::vector<float> mine = input(world->rank());
    CHECK(std::equal(data.begin(), data.begin() + kShort, whole.begin()));
    CHECK(std::equal(data.begin() + kShort, data.end(), mine.begin() + kShort));
  }
}

// Messages are read in place, but for snapshots and packed ones.
TEST_CASE("shared memory: vectors that all ranks map") {
  for (const bool reads_peers : {true, false}) {
    const auto mapped =
        shared_communicator(*world, {.reads_peers = reads_peers, .maps_vectors = true});
    CHECK(mapped->transport() == "no copy");
    CHECK(is_mapped_shared(mapped->allocate(100'000).get()));
    CHECK_FALSE(is_mapped_shared(shared(reads_peers).allocate(100'000).get()));
    HostExecutor executor(*mapped);
    CheckedRunner runner(executor);
    for (const Count elements : {0, 1, 3'000, 100'003}) {
      const Problem problem{.ranks = world->ranks(), .elements = elements};
      runner.load_input(problem, {DType::float32, Op::sum});
      for (const bool in_place : {true, false}) {
        CHECK(world->sum(runner.run({.mode = {in_place, 2, false}}).wrong) == 0);
        for (const Algorithm& algorithm : algorithms()) {
          if (!unsupported(algorithm, problem).empty()) continue;
          INFO(algorithm.name << " of " << elements << ", in place " << in_place);
          const auto run = runner.run({.algorithm = &algorithm, .mode = {in_place, 2, false}});
          CHECK(world->sum(run.wrong) == 0);
        }
      }
    }
  }
}

TEST_CASE("shared memory: sizes that differ are an error, not a hang") {
  if (world->ranks() != 2) return;
  const auto broken = shared_communicator(*world);
  std::vector<std::byte> data(256);
  const Rank peer = 1 - world->rank();
  const Count elements = 8 + world->rank();
  const Transfer round[] = {{ActionKind::send, peer, data.data(), elements},
                            {ActionKind::replace, peer, data.data() + 128, elements}};
  CHECK_THROWS_WITH(broken->exchange(0, round, {DType::float32, Op::sum}),
                    contains("verify the algorithm"));
}

TEST_CASE("shared memory: a lane too many is refused") {
  CHECK_THROWS_WITH(shared().start(4096, {}, {}), contains("at most 4096 lanes"));
}

TEST_CASE("shared memory says how long messages travel") {
  CHECK(shared(false).transport() == "two copies");
  CHECK((shared().transport() == "one or two copies" ||
         shared().transport().starts_with("two copies: process_vm_readv: ")));
}
