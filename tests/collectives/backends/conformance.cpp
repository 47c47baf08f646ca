// The catalog of backends: each is available and right, or gives a reason. Backends whose ranks are
// the processes of an MPI job are tested in in_job.cpp.
#include <set>

#include "algorithms/base/error.hpp"
#include "collectives/backends/gpus.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;

TEST_CASE("backends: every available one gives the expected results at the claimed costs") {
  Job job;
  for (const Backend& backend : backends()) {
    if (!backend.unavailable_reason().empty() || backend.placement == Placement::processes)
      continue;
    for (Rank ranks = 1; ranks <= std::min<Rank>(4, backend.max_ranks()); ++ranks) {
      INFO(backend.name << " on " << ranks << " ranks");
      CHECK(conformance::problems_of(backend, job, ranks) == "");
      if (!backend.devices) CHECK(conformance::problems_of_gloo(backend, job, ranks) == "");
    }
  }
}

TEST_CASE("backends: every one has a name, a summary, and a reason if it is unavailable") {
  Job job;
  std::set<std::string_view> names;
  for (const Backend& backend : backends()) {
    INFO(backend.name);
    CHECK(names.insert(backend.name).second);
    CHECK(backend.summary != "");
    CHECK(&find_backend(backend.name) == &backend);
    CHECK((backend.placement != Placement::processes || backend.joins_job));
    const std::string why = backend.unavailable_reason();
    if (why.empty()) continue;
    CHECK_THAT(why, contains("built with"));
    CHECK_THROWS_AS(backend.run(job, {.ranks = 1}, [](Executor&) {}), Error);
  }
}

TEST_CASE("backends: exactly one is the default, outside of a job and in one") {
  int alone = 0, in_job = 0;
  for (const Backend& backend : backends()) {
    alone += backend.default_alone ? 1 : 0;
    in_job += backend.default_in_job ? 1 : 0;
    CHECK((!backend.default_in_job || backend.joins_job));
  }
  CHECK(alone == 1);
  CHECK(in_job == 1);
  Job job;
  CHECK(job.ranks() == 0);
  CHECK(default_backend(job).default_alone);
  CHECK(placement_in(job, default_backend(job)) == default_backend(job).placement);
}

TEST_CASE("backends: the GPUs of this machine are counted by name") {
  if (!why_no_gpu().empty()) {
    CHECK(gpu_count() == 0);
    CHECK(gpu_names() == "");
    return;
  }
  REQUIRE(gpu_count() == static_cast<Rank>(gpu_infos().size()));
  std::set<std::string> names;
  for (const DeviceInfo& info : gpu_infos()) names.insert(info.name);
  if (names.size() == 1) CHECK(gpu_names() == std::to_string(gpu_count()) + " x " + *names.begin());
  for (const std::string& name : names) CHECK_THAT(gpu_names(), contains(" x " + name));
}

TEST_CASE("backends: an unknown name is rejected with the nearest one") {
  CHECK_THROWS_WITH(find_backend("thread"), contains("did you mean 'threads'?"));
}
