#include "training/cluster/slurm.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/variables.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Names = std::vector<std::string>;
using Devices = std::vector<int>;

Variables step(int rank) {
  return {{"SLURM_STEP_NODELIST", "n[006,011],m5"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
          {"SLURM_STEP_NUM_TASKS", "5"},
          {"SLURM_NTASKS", "5"},
          {"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_JOB_NODELIST", "other[1-9]"}};
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

Cluster place(const Variables& variables, const ClusterOptions& options = {}) {
  return cluster_of_slurm(environment_of(variables), options);
}

std::string said(const Variables& variables, const ClusterOptions& options = {}) {
  return failure([&] { place(variables, options); });
}

}  // namespace

TEST_CASE("a step of Slurm gives every task its place") {
  const Cluster c = place(step(3));
  CHECK(c.told_by == "Slurm");
  CHECK(c.rank == 3);
  CHECK(c.workers == 5);
  CHECK(c.local_rank == 1);
  CHECK(c.local_workers == 2);
  CHECK_FALSE(c.chief);
  CHECK(c.addresses == Names{"n006:12345", "n006:12346", "n011:12345", "n011:12346", "m5:12345"});
  CHECK(c.devices.empty());
  CHECK(place(step(0)).chief);
  CHECK(place(step(4), {.port_base = 10000}).addresses[4] == "m5:10000");
}

TEST_CASE("cyclic distribution deals tasks out host by host") {
  Variables cyclic = with(step(3), {{"SLURM_DISTRIBUTION", "cyclic:block,NoPack"}});
  CHECK(place(cyclic).addresses ==
        Names{"n006:12345", "n011:12345", "m5:12345", "n006:12346", "n011:12346"});
  CHECK(place(cyclic).local_rank == 1);
  CHECK(said(with(cyclic, {{"SLURM_NODEID", "1"}})) ==
        "2: SLURM_NODEID is 1, but 0 follows from SLURM_STEP_NODELIST: start all workers with one "
        "srun");
  CHECK(said(with(step(0), {{"SLURM_DISTRIBUTION", "plane=2"}})) ==
        "2: SLURM_DISTRIBUTION 'plane=2' is not known here: start with srun -m block or -m cyclic");
}

TEST_CASE("GPUs of a host are shared out to its tasks") {
  const Variables four = with(step(1), {{"SLURM_GPUS_ON_NODE", "4"}});
  CHECK(place(four).devices == Devices{2, 3});
  CHECK(place(four, {.gpus_per_task = 1}).devices == Devices{1});
  CHECK(place(step(1), {.gpus_per_node = 2}).devices == Devices{1});
  CHECK(place(with(step(1), {{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}})).devices == Devices{2, 3});
  // Slurm has bound each task to its own: it sees them as 0 and 1.
  CHECK(place(with(step(1), {{"CUDA_VISIBLE_DEVICES", "2,3"}, {"SLURM_GPUS_PER_TASK", "2"}}))
            .devices == Devices{0, 1});
  CHECK(place(with(step(1), {{"SLURM_GPUS_ON_NODE", "1"}})).devices.empty());
  CHECK(said(four, {.gpus_per_task = 3}) ==
        "2: 2 tasks on a host with 4 GPUs cannot have 3 each: start fewer tasks a node, one for "
        "each GPU at best");
}

TEST_CASE("Slurm's variables that are missing, malformed or at odds are named") {
  Variables no_list = step(0);
  no_list.erase("SLURM_STEP_NODELIST");
  no_list.erase("SLURM_JOB_NODELIST");
  CHECK(said(no_list) ==
        "2: SLURM_STEP_NODELIST is not set: start workers with srun, in a job of Slurm");
  CHECK(said(with(step(0), {{"SLURM_STEP_NODELIST", "n[1-"}})) ==
        "2: SLURM_STEP_NODELIST 'n[1-': a [ without its ]");
  CHECK(said(with(step(0), {{"SLURM_STEP_NODELIST", "n[1-2]"}})) ==
        "2: SLURM_STEP_NODELIST 'n[1-2]' has 2 hosts, but SLURM_STEP_TASKS_PER_NODE '2(x2),1' has "
        "3");
  CHECK(said(with(step(0), {{"SLURM_STEP_NUM_TASKS", "6"}})) ==
        "2: SLURM_STEP_NUM_TASKS is 6, but 5 follows from SLURM_STEP_TASKS_PER_NODE: start all "
        "workers with one srun");
  CHECK(said(with(step(0), {{"SLURM_PROCID", "5"}})) ==
        "2: SLURM_PROCID 5 is not one of the 5 tasks in SLURM_STEP_TASKS_PER_NODE");
  CHECK(said(with(step(0), {{"SLURM_PROCID", "-1"}})) ==
        "2: SLURM_PROCID '-1' is no number from 0 to 1048576");
  CHECK(said(step(0), {.port_base = 65535}) ==
        "2: port base 65535 leaves no ports for the tasks of n006: ports end at 65535");
  CHECK(said(with(step(0), {{"SLURM_LOCALID", "1"}})).find("SLURM_LOCALID is 1, but 0 follows") !=
        std::string::npos);
}
