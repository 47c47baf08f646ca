// Conformance over MPI, at whatever number of ranks the job has: the whole catalog, all types and
// operations, and MPI_Allreduce itself, which checks the pattern with code that nobody here wrote.
#include "collectives/mpi/mpi.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/mpi/posting_order.hpp"
#include "collectives/mpi/transport.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/counting_device.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/special_values.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {}  // namespace

TEST_CASE("claimed = executed over the catalog, all collectives and roots") {
  const Rank ranks = world->ranks();
  for (const Rank root : {0, ranks / 2, ranks - 1})
    conformance::for_all_problems(
        ranks, conformance::odd_lengths(ranks), root,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          const Operand operand{DType::int64, Op::sum};
          INFO(conformance::text_of(algorithm, problem, operand, segments));
          CHECK(conformance::run(*world, algorithm, problem, operand, segments) ==
                conformance::kGood);
        });
}

TEST_CASE("all types and operations") {
  for (const DType dtype : kDTypes)
    for (const Op op : kOps)
      for (const Count elements : {0, 3, 2003})
        for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
          const Problem problem{.ranks = world->ranks(), .elements = elements};
          INFO(conformance::text_of(algorithm, problem, {dtype, op}, 1));
          CHECK(conformance::run(*world, algorithm, problem, {dtype, op}, 1) == conformance::kGood);
        }
}

TEST_CASE("replicas have the same bits after min and max of special values") {
  CHECK(special::wrong_replicas(*world, false) == 0);  // MPI_MIN defines nothing for a NaN
}

TEST_CASE("an average of 16-bit numbers is finite where its sum is not") {
  if (std::has_single_bit(static_cast<unsigned>(world->ranks())))
    CHECK(special::wrong_averages(*world) == 0);
}

TEST_CASE("a million and three elements (a hundred thousand under sanitizers)") {
  const Count elements = kSanitized ? 100'003 : 1'000'003;  // neither is sent eagerly
  for (const Algorithm& algorithm : algorithms())
    for (const Operand operand :
         {Operand{DType::float32, Op::sum}, Operand{DType::float16, Op::avg}}) {
      const Problem problem = grouped(algorithm, {.ranks = world->ranks(), .elements = elements});
      if (!unsupported(algorithm, problem).empty()) continue;
      INFO(conformance::text_of(algorithm, problem, operand, 1));
      CHECK(conformance::run(*world, algorithm, problem, operand, 1) == conformance::kGood);
    }
}

TEST_CASE("MPI_Allreduce gives the pattern's answer, for all types and operations") {
  CHECK(world->baseline().name_of_allreduce() == "MPI_Allreduce");
  for (const DType dtype : kDTypes)
    for (const Op op : kOps)
      for (const Count elements : unless_sanitized<Count>({0, 1, 3, 100'003}, {0, 1, 3, 10'007})) {
        const Problem problem{.ranks = world->ranks(), .elements = elements};
        INFO(name(dtype) << " " << name(op) << " " << elements);
        CHECK(conformance::run_native(*world, problem, {dtype, op}) == conformance::kGood);
      }
}

TEST_CASE("MPI's own collectives give the pattern's answer, in place and out of place") {
  HostExecutor executor(*world);
  CheckedRunner runner(executor);
  for (const Collective collective : kCollectives) {
    for (const Operand operand :
         {Operand{DType::float32, Op::sum}, Operand{DType::float16, Op::avg},
          Operand{DType::uint8, Op::max}, Operand{DType::int64, Op::avg}})
      for (const Count elements : {0, 1, 3, 1003})
        for (const Rank root : {0, world->ranks() - 1}) {
          runner.load_input({.collective = collective,
                             .ranks = world->ranks(),
                             .elements = elements,
                             .root = root},
                            operand);
          for (const bool in_place : {true, false})
            for (const int repeats : {1, 3}) {
              INFO(name(collective) << " of " << elements << " " << name(operand.dtype) << " "
                                    << name(operand.op) << ", in place " << in_place);
              const CheckedRun run = runner.run({.mode = {in_place, repeats, false}});
              CHECK(world->sum(run.wrong) == 0);
            }
        }
  }
}

TEST_CASE("MPI's other collectives give the pattern's answer, for all types, roots, and cuts") {
  const Rank m = world->ranks();
  const auto named = [&](Collective collective, Count elements) {
    return world->baseline().name_of({.collective = collective, .ranks = m, .elements = elements});
  };
  CHECK(named(Collective::reduce_scatter, 6 * m) == "MPI_Reduce_scatter_block");
  CHECK(named(Collective::all_gather, 6 * m) == "MPI_Allgather");
  CHECK(named(Collective::reduce, 7) == "MPI_Reduce");
  CHECK(named(Collective::broadcast, 7) == "MPI_Bcast");
  if (m > 1) CHECK(named(Collective::reduce_scatter, 6 * m + 1) == "MPI_Reduce_scatter");
  if (m > 1) CHECK(named(Collective::all_gather, 6 * m + 1) == "MPI_Allgatherv");
  CHECK(named(Collective::all_gather, Count{1} << 40).empty());
  for (const Collective collective : kCollectives)
    for (const DType dtype : kDTypes)
      for (const Op op : {Op::sum, Op::avg, Op::max})
        for (const Count elements : {Count{0}, Count{1}, 12 * Count{m}, Count{1009}}) {
          const Problem problem{.collective = collective,
                                .ranks = m,
                                .elements = elements,
                                .root = static_cast<Rank>(elements % m)};
          INFO(world->baseline().name_of(problem)
               << " " << name(dtype) << " " << name(op) << " " << elements);
          CHECK(conformance::run_native(*world, problem, {dtype, op}) == conformance::kGood);
        }
}

// The device is the host's stand-in, whose memory any MPI can send directly: both ways are tried.
TEST_CASE("messages between devices, directly and staged") {
  Devices devices = host_devices({.peers = false, .disorder = 29});
  Device& device = *devices.front();
  for (const bool directly : {true, false}) {
    const auto transport = mpi_transport(*world, device, directly);
    RankExecutor rank(*world, device, *transport);
    CHECK(rank.baseline().name_of_allreduce() == "MPI_Allreduce");
    for (const Count elements : {0, 1, 10'007})
      for (const Operand operand :
           {Operand{DType::float32, Op::sum}, Operand{DType::bfloat16, Op::avg},
            Operand{DType::int64, Op::max}}) {
        const Problem problem{.ranks = world->ranks(), .elements = elements};
        const DeviceMemory data =
            device.allocate(static_cast<std::size_t>(elements) * size_of(operand.dtype));
        const std::span<std::byte> vector(data.data(), data.size());
        const auto wrong_after = [&](auto run) {
          fill(vector, operand, problem, world->rank());
          run();
          rank.synchronize();
          return world->sum(wrong_elements(vector, operand, problem, world->rank()));
        };
        for (const Algorithm& algorithm : algorithms()) {
          const Problem stated = grouped(algorithm, problem);
          if (!unsupported(algorithm, stated).empty()) continue;
          INFO(conformance::text_of(algorithm, stated, operand, 3) << " directly " << directly);
          auto prepared = rank.prepare(algorithm, stated, data.data(), operand, 3);
          CHECK(wrong_after([&] { rank.run(prepared); }) == 0);
        }
        CHECK(wrong_after([&] { rank.run_native(problem, data.data(), operand); }) == 0);
      }
    // A list, or why the library has none: what the communicator says.
    CHECK(failure([&] { rank.baseline().algorithms(); }) ==
          failure([&] { world->baseline().algorithms(); }));
  }
}

TEST_CASE("the library's collectives of device memory are staged only where they must be") {
  Devices devices = host_devices({.peers = false});
  const auto try_out = [&](Collective collective, DType dtype, bool directly) {
    INFO(name(collective) << " " << name(dtype) << " directly " << directly);
    CountingDevice device(*devices.front());
    {
      const auto transport = mpi_transport(*world, device, directly);
      const auto stream = device.make_stream(StreamKind::own);
      const Problem problem{.collective = collective, .ranks = world->ranks(), .elements = 100};
      const DeviceMemory data = device.allocate(100 * size_of(dtype), MemoryKind::device);
      const std::span<std::byte> vector(data.data(), data.size());
      fill(vector, {dtype, Op::sum}, problem, world->rank());
      transport->baseline(*stream).run(problem, data.data(), data.data(), {dtype, Op::sum});
      stream->synchronize();
      CHECK(world->sum(wrong_elements(vector, {dtype, Op::sum}, problem, world->rank())) == 0);
    }
    // Our own operation adds floats of 16 and 8 bits, on the host.
    const bool is_small = dtype == DType::float16 || dtype == DType::bfloat16 ||
                          dtype == DType::float8_e4m3 || dtype == DType::float8_e5m2;
    // MPI writes a block of the result elsewhere, from where the host copies it.
    const bool is_direct = directly && !is_small && collective != Collective::reduce_scatter;
    CHECK(device.pinned.most_bytes == (is_direct ? 0 : 100 * size_of(dtype)));
  };
  for (const bool directly : {true, false})
    for (const Collective collective : kCollectives)
      for (const DType dtype : kDTypes)
        if (dtype != DType::byte) try_out(collective, dtype, directly);
}

TEST_CASE("ranks of one machine are counted") {  // these tests run on one
  CHECK(mpi->local_rank() == world->rank());
  setenv("ARLAB_RANKS_PER_MACHINE", "1", 1);
  CHECK(mpi->local_rank() == world->rank());  // emulated machines share the GPUs of this one
  unsetenv("ARLAB_RANKS_PER_MACHINE");
  CHECK(world->machines() == std::vector<Rank>(static_cast<std::size_t>(world->ranks())));
  CHECK(groups_by_machine(*world) == nullptr);
}

TEST_CASE("sends are posted first in an exchange with another machine only") {
  std::byte data{};
  const Transfer to_far{ActionKind::send, 2, &data, 1}, from_far{ActionKind::replace, 2, &data, 1};
  const Transfer to_near{ActionKind::send, 1, &data, 1}, from_near{ActionKind::reduce, 1, &data, 1};
  PostingOrder order(std::vector<Rank>{0, 0, 2, 2}, 0);
  using Transfers = std::vector<Transfer>;
  CHECK(order.sends_first(Transfers{to_far, from_far}));
  CHECK(order.sends_first(Transfers{from_far, to_near, to_far}));
  CHECK(!order.sends_first(Transfers{to_near, from_near}));
  CHECK(!order.sends_first(Transfers{to_far, from_near}));
  CHECK(!order.sends_first(Transfers{from_far}));  // although an earlier round sent it a message
  CHECK(!order.sends_first(Transfers{to_far}));
  CHECK(!order.sends_first(Transfers{}));
  CHECK(!PostingOrder(std::vector<Rank>{0, 0}, 0).sends_first(Transfers{to_near, from_near}));
  PostingOrder here(world->machines(), world->rank());  // these tests run on one machine
  for (Rank peer = 0; peer < world->ranks(); ++peer)
    CHECK(!here.sends_first(
        Transfers{{ActionKind::send, peer, &data, 1}, {ActionKind::replace, peer, &data, 1}}));
}

TEST_CASE("max and sum over all ranks") {
  CHECK(world->max(world->rank()) == world->ranks() - 1);
  CHECK(world->sum(world->rank()) == Count{world->ranks()} * (world->ranks() - 1) / 2);
}

TEST_CASE("a poll returns lanes that are done") {
  CHECK(world->poll() == -1);
  std::int32_t value = world->rank(), from = -1;
  const Rank right = (world->rank() + 1) % world->ranks();
  const Rank left = (world->rank() + world->ranks() - 1) % world->ranks();
  if (world->ranks() == 1) return;
  const Transfer round[] = {{ActionKind::send, right, reinterpret_cast<std::byte*>(&value), 1},
                            {ActionKind::replace, left, reinterpret_cast<std::byte*>(&from), 1}};
  world->start(3, round, {DType::int32, Op::sum});
  int done = -1;
  while (done < 0) done = world->poll();
  CHECK(done == 3);
  CHECK(from == left);
  CHECK(world->poll() == -1);
}

TEST_CASE("a problem for another number of ranks is refused on every rank") {
  const Problem problem{.ranks = world->ranks() + 1, .elements = 0};
  CHECK_THROWS_AS(execute(*world, algorithms().front(), problem, {}, {}), Error);
}
