#include "training/cluster/cluster.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/variables.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Names = std::vector<std::string>;

const Variables kConfig{
    {"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":1}})"}};
const Variables kSlurm{{"SLURM_STEP_NODELIST", "n[1-3]"},
                       {"SLURM_STEP_TASKS_PER_NODE", "1(x3)"},
                       {"SLURM_PROCID", "2"}};

Cluster resolve(const Variables& v, std::optional<MpiPlace> mpi = std::nullopt) {
  return resolve_cluster(environment_of(v), mpi);
}

}  // namespace

TEST_CASE("a process that nobody tells anything is on its own") {
  const Cluster c = resolve({});
  CHECK(c.told_by == "nobody");
  CHECK((c.chief && c.rank == 0 && c.workers == 1));
  CHECK(resolve({{"TF_CONFIG", ""}}).told_by == "nobody");
}

TEST_CASE("TF_CONFIG speaks before Slurm, and Slurm before MPI") {
  Variables both = kSlurm;
  both.insert(kConfig.begin(), kConfig.end());
  CHECK(resolve(both).told_by == "TF_CONFIG");
  CHECK(resolve(kSlurm).told_by == "Slurm");
  CHECK(resolve(kSlurm, MpiPlace{2, 3, 0, 1}).told_by == "Slurm");
  CHECK(resolve({}, MpiPlace{2, 3, 0, 1}).told_by == "MPI");
  CHECK(resolve(kSlurm, MpiPlace{}).told_by == "Slurm");  // MPI that was started without mpirun
}

TEST_CASE("a variable that is at odds with MPI is an error") {
  CHECK(failure([] {
          resolve(kConfig, MpiPlace{0, 4, 0, 4});
        }) ==
        "2: TF_CONFIG says worker 1 of 2 that train, but MPI says rank 0 of 4: start all of them "
        "one way, or unset the variables of the other");
  CHECK(failure([] {
          resolve(kSlurm, MpiPlace{1, 3, 0, 1});
        }).find("MPI says rank 1 of 3") != std::string::npos);
}

TEST_CASE("MPI tells ranks, and who shares a host") {
  const Cluster c = cluster_of(MpiPlace{5, 8, 1, 4});
  CHECK((c.rank == 5 && c.workers == 8 && c.local_rank == 1 && c.local_workers == 4));
  CHECK_FALSE(c.chief);
  CHECK(cluster_of(MpiPlace{0, 8, 0, 4}).chief);
}

TEST_CASE("hosts with slots give ranks host by host") {
  const auto hosts = parse_host_slots("a:2,b:3");
  const Cluster c = cluster_of(hosts, 3, 5000);
  CHECK(c.addresses == Names{"a:5000", "a:5001", "b:5000", "b:5001", "b:5002"});
  CHECK((c.rank == 3 && c.local_rank == 1 && c.local_workers == 3 && !c.chief));
  CHECK(failure([&] { cluster_of(hosts, 5, 5000); }) ==
        "2: there is no rank 5 among the 5 slots of the hosts");
  CHECK(failure([&] { cluster_of(hosts, 0, 65534); }) ==
        "2: port base 65534 leaves no ports for the 3 workers of b: ports end at 65535");
}

TEST_CASE("the process's own environment can be asked") {
  CHECK(process_environment("PATH").has_value());
  CHECK_FALSE(process_environment("ARLAB_NO_SUCH_VARIABLE").has_value());
}
