// Conformance over shared memory, at whatever number of ranks the job has, with long messages read from
// their sender's memory and with long messages in fragments.
#include "algorithms/base/error.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/mpi/shared/shared_communicator.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/special_values.hpp"

using namespace arlab;
using namespace arlab::collectives;

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
  CHECK(shared().native_name() == "shared slices");
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
  for (const Collective collective : kCollectives) {
    const Problem problem{.collective = collective, .ranks = world->ranks(), .elements = 1003};
    executor.load_input(problem, {DType::int64, Op::sum});
    for (const bool in_place : {true, false})
      CHECK(world->sum(executor.run_checked({.mode = {in_place, 2, false}}).wrong) == 0);
  }
  CHECK(executor.native_label("library") == "MPI_Allreduce");
  CHECK(executor.native_label("ring") == "MPI_Allreduce:ring");
  executor.load_input({.ranks = world->ranks(), .elements = 77}, {});
  CHECK(world->sum(executor.run_checked({.native = "library"}).wrong) == 0);
}

// Messages are read in place, but for snapshots and packed ones.
TEST_CASE("shared memory: vectors that all ranks map") {
  for (const bool reads_peers : {true, false}) {
    const auto mapped =
        shared_communicator(*world, {.reads_peers = reads_peers, .maps_vectors = true});
    CHECK(mapped->transport() == "no copy");
    HostExecutor executor(*mapped);
    for (const Count elements : {0, 1, 3'000, 100'003}) {
      const Problem problem{.ranks = world->ranks(), .elements = elements};
      executor.load_input(problem, {DType::float32, Op::sum});
      for (const bool in_place : {true, false}) {
        CHECK(world->sum(executor.run_checked({.mode = {in_place, 2, false}}).wrong) == 0);
        for (const Algorithm& algorithm : algorithms()) {
          if (!unsupported(algorithm, problem).empty()) continue;
          INFO(algorithm.name << " of " << elements << ", in place " << in_place);
          const auto run =
              executor.run_checked({.algorithm = &algorithm, .mode = {in_place, 2, false}});
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
  CHECK((shared().transport() == "single copy" ||
         shared().transport().starts_with("two copies: process_vm_readv: ")));
}
