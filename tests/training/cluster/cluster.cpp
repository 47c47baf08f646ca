#include "training/cluster/cluster.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/variables.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

const Variables kConfig{
    {"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})"}};
const Variables kSlurm{{"SLURM_STEP_NODELIST", "n[1-3]"},
                       {"SLURM_STEP_TASKS_PER_NODE", "1(x3)"},
                       {"SLURM_PROCID", "2"}};

Cluster resolve(const Variables& v) { return resolve_cluster(environment_of(v)); }

}  // namespace

TEST_CASE("without any variables, a process is alone") {
  const Cluster c = resolve({});
  CHECK(c.source == "nobody");
  CHECK((c.chief && c.rank == 0 && c.workers == 1));
  CHECK(resolve({{"TF_CONFIG", ""}}).source == "nobody");
}

TEST_CASE("TF_CONFIG takes precedence over Slurm") {
  Variables both = kSlurm;
  both.insert(kConfig.begin(), kConfig.end());
  CHECK(resolve(both).source == "TF_CONFIG");
  CHECK(resolve(kSlurm).source == "Slurm");
}

TEST_CASE("process_environment() returns the process's variables") {
  CHECK(process_environment("PATH").has_value());
  CHECK_FALSE(process_environment("ARLAB_NO_SUCH_VARIABLE").has_value());
}

TEST_CASE("Slurm's variables of a job alone, or of a process alone, are not those of a step") {
  for (const char* missing : {"SLURM_PROCID", "SLURM_STEP_NODELIST"}) {
    INFO("without " << missing);
    Variables others = kSlurm;
    others.erase(missing);
    CHECK(resolve(others).source == "nobody");
  }
}
