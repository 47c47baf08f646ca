// Backends whose ranks are the processes of an MPI job: the conformance test, under mpirun.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/backends.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_tests.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

Job* job = nullptr;  // Catch2's test cases take no arguments

}  // namespace

TEST_CASE("backends in a job: every available one gives the expected results") {
  REQUIRE(job->ranks() > 0);
  CHECK(placement_in(*job, default_backend(*job)) == Placement::processes);
  for (const Backend& backend : backends()) {
    CHECK(placement_in(*job, backend) ==
          (backend.joins_job ? Placement::processes : backend.placement));
    if (!backend.joins_job || !backend.unavailable_reason().empty()) continue;
    if (backend.placement == Placement::colocated &&
        static_cast<std::size_t>(job->ranks()) > backend.devices().size())
      continue;  // in a job it needs a device per rank
    INFO(backend.name);
    CHECK(conformance::problems_of(backend, *job, job->ranks()) == "");
    if (!backend.devices) CHECK(conformance::problems_of_gloo(backend, *job, job->ranks()) == "");
  }
}

TEST_CASE("backends in a job: one through shared memory maps vectors, the other copies them") {
  const auto transport = [](const char* name) {
    const Backend& backend = find_backend(name);
    std::string text;
    if (const std::string why = backend.unavailable_reason(); !why.empty()) return why;
    backend.run(*job, {.ranks = job->ranks()}, [&](Executor& e) { text = e.transport(); });
    return text;
  };
  const std::string copies = transport("shm"), maps = transport("shm-mapped");
  INFO(copies << ", " << maps);
  CHECK(maps == "no copy");
  CHECK((copies == "one or two copies" || copies.starts_with("two copies: ")));
}

TEST_CASE("backends in a job: the first ranks are a job of their own while the others rest") {
  const Rank all = job->ranks(), rank = job->world().rank();
  int called = 0;
  for (Rank ranks = 1; ranks <= all; ++ranks)
    job->on_first(ranks, [&] {
      ++called;
      CHECK(job->ranks() == ranks);
      for (const Backend& backend : backends()) {
        if (!backend.joins_job || !backend.unavailable_reason().empty() || backend.devices)
          continue;
        INFO(backend.name << " on " << ranks << " of " << all);
        CHECK(conformance::problems_of(backend, *job, ranks) == "");
      }
    });
  CHECK(called == all - rank);
  CHECK(job->ranks() == all);
  CHECK(job->world().sum(1) == all);
}

int main(int argc, char** argv) {
  Job mine;
  job = &mine;
  // NCCL refuses processes that share a GPU, unless it takes them for different machines.
  if (job->ranks() > 0) {
    ::setenv("NCCL_HOSTID", ("rank " + std::to_string(job->world().rank())).c_str(), 0);
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 0);
  }
  if (job->ranks() > 0 && job->world().rank() != 0 && !std::freopen("/dev/null", "w", stdout))
    return 3;
  const int failed = run_tests(argc, argv);
  return job->ranks() > 0 ? static_cast<int>(job->world().sum(failed) != 0) : failed;
}
