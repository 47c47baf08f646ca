// Training's collectives over MPI: with a route over groups, and between devices of the ranks,
// which the host stands in for.
#include <algorithm>

#include "collectives/gpu/staged_executor.hpp"
#include "collectives/mpi/transport.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/mpi_main.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/route.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Returns the number of wrong elements on any rank after three steps of two buckets.
Count wrong_after_steps(const Route& route, bool overlap) {
  Exchange exchange(*world, route, overlap);
  const auto ranks = static_cast<float>(world->ranks());
  std::vector<float> a(1003, static_cast<float>(world->rank() + 1)), b(2, 1);
  for (Count step = 0; step < 3; ++step) {
    exchange.start({step, 0}, a);
    exchange.wait(exchange.start({step, 1}, b));
  }
  const auto wrong =
      std::count_if(a.begin(), a.end(),
                    [&](float x) { return x != ranks * (ranks + 1) / 2 * ranks * ranks; }) +
      std::count_if(b.begin(), b.end(), [&](float x) { return x != ranks * ranks * ranks; });
  return exchange.communicator().sum(wrong);
}

}  // namespace

TEST_CASE("over MPI: given groups") {
  for (const Rank size : {2, 4}) {
    const Route route = find_route("hierarchical", 2, *world, 100, {.group_size = size});
    CHECK(route.groups->count() == world->ranks() / size);
    for (const bool overlap : {false, true}) CHECK(wrong_after_steps(route, overlap) == 0);
  }
}

TEST_CASE("over MPI: between the ranks' devices, all routes") {
  Devices devices = host_devices({.peers = false, .disorder = 37});
  for (const bool directly : {true, false}) {
    const auto transport = mpi_transport(*world, *devices.front(), directly);
    StagedExecutor gpus(*world, *devices.front(), *transport);
    const auto routes = all_routes(2, *world, {.group_size = 2, .executor = &gpus});
    CHECK(routes.size() > 5);
    CHECK(routes.back().name(*world) == "MPI_Allreduce");
    for (const Route& route : routes)
      for (const bool overlap : {false, true}) {
        INFO(route.name(*world) << " directly " << directly << " overlap " << overlap);
        CHECK(wrong_after_steps(route, overlap) == 0);
      }
  }
}
