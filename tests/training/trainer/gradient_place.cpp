// Where gradients are added, and why not on the GPU. On a GPU:
// tests/training/exchange/cuda/on_device.cpp.
#include "training/trainer/gradient_place.hpp"

#include "collectives/alone.hpp"
#include "collectives/host/host_executor.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("gradients stay on the host without a backend, and with one that adds there") {
  TrainerOptions learning;
  learning.strategy = "multi_worker";
  REQUIRE(find_strategy(learning.strategy).on_device);
  CHECK(why_on_host(learning) == "the backend adds there");
  collectives::Alone alone;
  collectives::HostExecutor executor(alone);
  learning.route_options.executor = &executor;
  CHECK(why_on_host(learning) == "the backend adds there");
}
