// To add a backend: one file, one test. This one co-locates ranks on two fake GPUs.
#include "collectives/gpu/colocated_executor.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/catch.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

std::string always_available() { return ""; }
std::string note() { return "two fake GPUs"; }
Rank max_ranks() { return kMaxDeviceRanks; }

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  Devices devices = host_devices({.count = 2});
  ColocatedExecutor executor(devices, options.ranks);
  body(executor);
}

}  // namespace

Backend example() {
  return {.name = "example",
          .summary = "co-located ranks on fake GPUs",
          .placement = Placement::colocated,
          .unavailable_reason = always_available,
          .note = note,
          .max_ranks = max_ranks,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog

TEST_CASE("backends: an example in one file passes the conformance test") {
  arlab::collectives::Job job;
  const auto backend = arlab::collectives::backend_catalog::example();
  for (arlab::Rank ranks = 1; ranks <= 4; ++ranks)
    CHECK(arlab::collectives::conformance::problems_of(backend, job, ranks) == "");
}
