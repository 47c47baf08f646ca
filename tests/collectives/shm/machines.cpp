// Shared memory within machines and MPI between them: one machine is taken for several.
#include <cstdlib>

#include "algorithms/base/error.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/shm/shared_communicator.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/mpi_main.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

constexpr const char* kVariable = "ARLAB_RANKS_PER_MACHINE";

class Emulated {
 public:
  explicit Emulated(const char* ranks) { setenv(kVariable, ranks, 1); }
  ~Emulated() { unsetenv(kVariable); }
};

struct Machines {
  explicit Machines(int each, const SharedOptions& options = {}) {
    const Emulated emulated(std::to_string(each).c_str());
    communicator = shared_communicator(*world, options);
    groups = groups_by_machine(*communicator);
  }
  std::unique_ptr<Communicator> communicator;
  std::shared_ptr<const Groups> groups;  // null: one rank per machine, or one machine
};

const Algorithm& hierarchical() { return find_algorithm("hierarchical"); }

bool has_several(const Machines& machines) {
  return machines.groups &&
         unsupported(hierarchical(),
                     {.ranks = world->ranks(), .elements = 1, .groups = machines.groups.get()})
             .empty();
}

}  // namespace

TEST_CASE("several machines: claimed = executed over the catalog, all collectives") {
  for (const int each : {1, 2, 3}) {
    const Machines machines(each);
    conformance::for_all_problems(
        world->ranks(), conformance::odd_lengths(world->ranks()), world->ranks() - 1,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          const Operand operand{DType::int64, Op::sum};
          INFO(conformance::text_of(algorithm, problem, operand, segments)
               << ", " << each << " per machine");
          CHECK(conformance::run(*machines.communicator, algorithm, problem, operand, segments) ==
                conformance::kGood);
        });
  }
}

TEST_CASE("several machines: hierarchical by machine, with messages of all kinds") {
  for (const int each : {2, 3, 4})
    for (const SharedOptions& options : {SharedOptions{}, SharedOptions{.reads_peers = false},
                                         SharedOptions{.maps_vectors = true}}) {
      const Machines machines(each, options);
      if (!has_several(machines)) continue;
      CHECK_THAT(machines.communicator->transport(), contains(" emulated machines, MPI between"));
      HostExecutor executor(*machines.communicator);
      CheckedRunner runner(executor);
      for (const Count elements : {1, 25, 8'192, 200'003}) {
        const Problem problem{
            .ranks = world->ranks(), .elements = elements, .groups = machines.groups.get()};
        runner.load_input(problem, {DType::float32, Op::sum});
        for (const bool in_place : {true, false})
          for (const int segments : {1, 3}) {
            INFO(elements << " elements, " << each << " per machine, in place " << in_place);
            const auto run = runner.run(
                {.algorithm = &hierarchical(), .segments = segments, .mode = {in_place, 2, false}});
            CHECK(world->sum(run.wrong) == 0);
          }
      }
    }
}

TEST_CASE("several machines: the same bits as over MPI") {
  const Machines machines(2);
  for (const char* name : {"all_to_all", "butterfly", "master_worker", "recursive_multiplying"}) {
    INFO(name);
    CHECK(conformance::rounded_sums(*machines.communicator, name, 50'003) ==
          conformance::rounded_sums(*world, name, 50'003));
  }
}

// Both parts of the round add to the same memory, and one overwrites what the other sends.
TEST_CASE("several machines: a round applies in listed order, and sends what was there before") {
  if (world->ranks() != 4) return;
  const Machines machines(2);
  const Rank me = world->rank(), near = me ^ 1, far = me ^ 2;
  for (const std::size_t elements : {std::size_t{5}, std::size_t{20'000}}) {  // copied, stays
    const auto input = [&](Rank rank, std::size_t i) {
      return 1.0F / static_cast<float>(3 + rank * 7 + static_cast<int>(i));
    };
    std::vector<float> sum(elements), swapped(elements);
    for (std::size_t i = 0; i < elements; ++i) sum[i] = swapped[i] = input(me, i);
    const auto bytes_of = [](std::vector<float>& v) {
      return reinterpret_cast<std::byte*>(v.data());
    };
    const auto count = static_cast<Count>(elements);
    const Transfer adds[] = {{ActionKind::send, near, bytes_of(sum), count},
                             {ActionKind::send, far, bytes_of(sum), count},
                             {ActionKind::reduce, far, bytes_of(sum), count},
                             {ActionKind::reduce, near, bytes_of(sum), count}};
    machines.communicator->exchange(0, adds, {DType::float32, Op::sum});
    std::vector<float> from_near(elements);
    const Transfer swaps[] = {{ActionKind::send, near, bytes_of(swapped), count},
                              {ActionKind::send, far, bytes_of(swapped), count},
                              {ActionKind::replace, far, bytes_of(swapped), count},
                              {ActionKind::replace, near, bytes_of(from_near), count}};
    machines.communicator->exchange(0, swaps, {DType::float32, Op::sum});
    Count wrong = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      wrong += sum[i] == (input(me, i) + input(far, i)) + input(near, i) ? 0 : 1;
      wrong += swapped[i] == input(far, i) && from_near[i] == input(near, i) ? 0 : 1;
    }
    CHECK(world->sum(wrong) == 0);
  }
}

TEST_CASE("several machines: many lanes") {
  const Machines machines(2);
  for (const char* name : {"ring", "butterfly", "all_to_all"})
    for (const int segments : {5, 64}) {
      const Problem problem{.ranks = world->ranks(), .elements = 100'003};
      INFO(name << " in " << segments);
      CHECK(conformance::run(*machines.communicator, find_algorithm(name), problem,
                             {DType::float32, Op::sum}, segments) == conformance::kGood);
    }
}

TEST_CASE("several machines: the library's own allreduce is beside them") {
  const Machines machines(1);
  const bool one = world->ranks() == 1;
  CHECK(machines.communicator->baseline().name_of_allreduce() ==
        (one ? "shared slices" : "MPI_Allreduce"));
  for (const Op op : {Op::sum, Op::avg})
    CHECK(conformance::run_native(*machines.communicator,
                                  {.ranks = world->ranks(), .elements = 1009},
                                  {DType::float32, op}) == conformance::kGood);
}

TEST_CASE("several machines: numbers of ranks that are none are refused") {
  for (const char* text : {"0", "-2", "two", "99999999999"}) {
    const Emulated emulated(text);
    CHECK_THAT(failure([] { world->machines(); }), contains("ARLAB_RANKS_PER_MACHINE"));
  }
  const Emulated too_many("2147483648");
  CHECK_THAT(failure([] { world->machines(); }), contains("give 1 to 2147483647"));
}
