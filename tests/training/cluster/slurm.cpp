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

Cluster place(const Variables& variables) { return parse_slurm(environment_of(variables)); }

std::string said(const Variables& variables) {
  return failure([&] { place(variables); });
}

}  // namespace

TEST_CASE("a Slurm step defines the place of every task") {
  const Cluster c = place(step(3));
  CHECK(c.source == "Slurm");
  CHECK(c.rank == 3);
  CHECK(c.workers == 5);
  CHECK(c.local_rank == 1);
  CHECK(c.local_workers == 2);
  CHECK_FALSE(c.chief);
  CHECK(c.addresses == Names{"n006:12345", "n006:12346", "n011:12345", "n011:12346", "m5:12345"});
  CHECK(c.devices.empty());
  CHECK(place(step(0)).chief);
}

TEST_CASE("cyclic distribution assigns tasks host by host") {
  Variables cyclic = with(step(3), {{"SLURM_DISTRIBUTION", "cyclic:block,NoPack"}});
  CHECK(place(cyclic).addresses ==
        Names{"n006:12345", "n011:12345", "m5:12345", "n006:12346", "n011:12346"});
  CHECK(place(cyclic).local_rank == 1);
  CHECK(said(with(cyclic, {{"SLURM_NODEID", "1"}})) ==
        "2: SLURM_NODEID is 1, but 0 follows from SLURM_STEP_NODELIST: start all workers with one "
        "srun");
  CHECK(said(with(step(0), {{"SLURM_DISTRIBUTION", "spiral"}})) ==
        "2: SLURM_DISTRIBUTION 'spiral' is not known: start with srun -m block, cyclic, plane=2 or "
        "arbitrary");
}

TEST_CASE("planes of tasks go to the hosts in turn") {
  const Variables six{
      {"SLURM_STEP_NODELIST", "a,b"}, {"SLURM_STEP_TASKS_PER_NODE", "4,3"}, {"SLURM_PROCID", "4"}};
  const Names planes{"a:12345", "a:12346", "b:12345", "b:12346", "a:12347", "a:12348", "b:12347"};
  CHECK(place(with(six, {{"SLURM_DISTRIBUTION", "plane=2"}})).addresses == planes);
  CHECK(place(with(six, {{"SLURM_DISTRIBUTION", "plane"}, {"SLURM_DIST_PLANESIZE", "2"}}))
            .addresses == planes);
  CHECK(place(with(six, {{"SLURM_DISTRIBUTION", "plane=2"}})).local_rank == 2);
  CHECK_FALSE(said(with(six, {{"SLURM_DISTRIBUTION", "plane=0"}})).empty());
  CHECK_FALSE(said(with(six, {{"SLURM_DISTRIBUTION", "plane"}})).empty());
}

TEST_CASE("of an arbitrary distribution a task knows its own place") {
  const Variables any =
      with(step(3),
           {{"SLURM_DISTRIBUTION", "arbitrary"}, {"SLURM_NODEID", "2"}, {"SLURM_LOCALID", "0"}});
  const Cluster c = place(any);
  CHECK(c.workers == 5);
  CHECK(c.rank == 3);
  CHECK(c.local_rank == 0);
  CHECK(c.local_workers == 1);
  CHECK(c.addresses.empty());
  CHECK_FALSE(said(with(any, {{"SLURM_NODEID", "3"}})).empty());
}

TEST_CASE("numbers of GPUs may have types, and a host may show none") {
  CHECK(place(with(step(1), {{"SLURM_GPUS_ON_NODE", "gpu:4"}})).devices == Devices{2, 3});
  CHECK(place(with(step(1), {{"SLURM_GPUS_ON_NODE", "gpu:a100:2,gpu:v100:2"}})).devices ==
        Devices{2, 3});
  CHECK(place(with(step(1), {{"CUDA_VISIBLE_DEVICES", "3"}, {"SLURM_GPUS_PER_TASK", "a100:1"}}))
            .devices == Devices{0});
  CHECK(place(with(step(1), {{"SLURM_GPUS_PER_TASK", "1"}})).devices.empty());
  CHECK(place(with(step(1),
                   {{"SLURM_GPUS_PER_TASK", "gpu:1"}, {"CUDA_VISIBLE_DEVICES", "NoDevFiles"}}))
            .devices.empty());
  CHECK(said(with(step(1), {{"SLURM_GPUS_ON_NODE", "gpu:"}})) ==
        "2: SLURM_GPUS_ON_NODE '' is not a number from 0 to 1048576");
}

TEST_CASE("GPUs of a host are divided among its tasks") {
  const Variables four = with(step(1), {{"SLURM_GPUS_ON_NODE", "4"}});
  CHECK(place(four).devices == Devices{2, 3});
  CHECK(place(with(four, {{"SLURM_GPUS_PER_TASK", "1"}})).devices == Devices{1});
  CHECK(place(with(step(1), {{"CUDA_VISIBLE_DEVICES", "0,1,2,3"}})).devices == Devices{2, 3});
  // Slurm has bound each task to its own GPUs, which the task sees as 0 and 1.
  CHECK(place(with(step(1), {{"CUDA_VISIBLE_DEVICES", "2,3"}, {"SLURM_GPUS_PER_TASK", "2"}}))
            .devices == Devices{0, 1});
  CHECK(place(with(step(1), {{"SLURM_GPUS_ON_NODE", "1"}})).devices.empty());
  CHECK(said(with(four, {{"SLURM_GPUS_PER_TASK", "3"}})) ==
        "2: 2 tasks on a host with 4 GPUs cannot have 3 each: start fewer tasks per node, "
        "ideally one per GPU");
}

TEST_CASE("names missing, malformed and contradictory variables of Slurm") {
  Variables no_list = step(0);
  no_list.erase("SLURM_STEP_NODELIST");
  no_list.erase("SLURM_JOB_NODELIST");
  CHECK(said(no_list) ==
        "2: SLURM_STEP_NODELIST is not set: start workers with srun within a Slurm job");
  CHECK(said(with(step(0), {{"SLURM_STEP_NODELIST", "n[1-"}})) ==
        "2: SLURM_STEP_NODELIST 'n[1-': a [ without a ]");
  CHECK(said(with(step(0), {{"SLURM_STEP_NODELIST", "n[1-2]"}})) ==
        "2: SLURM_STEP_NODELIST 'n[1-2]' has 2 hosts, but SLURM_STEP_TASKS_PER_NODE '2(x2),1' has "
        "3");
  CHECK(said(with(step(0), {{"SLURM_STEP_NUM_TASKS", "6"}})) ==
        "2: SLURM_STEP_NUM_TASKS is 6, but 5 follows from SLURM_STEP_TASKS_PER_NODE: start all "
        "workers with one srun");
  CHECK(said(with(step(0), {{"SLURM_PROCID", "5"}})) ==
        "2: SLURM_PROCID 5 is not one of the 5 tasks in SLURM_STEP_TASKS_PER_NODE");
  CHECK(said(with(step(0), {{"SLURM_PROCID", "-1"}})) ==
        "2: SLURM_PROCID '-1' is not a number from 0 to 1048576");
  CHECK(said(with(step(0), {{"SLURM_STEP_TASKS_PER_NODE", "53192,1(x2)"},
                            {"SLURM_STEP_NUM_TASKS", "53194"},
                            {"SLURM_NTASKS", "53194"}})) ==
        "2: n006 has 53192 tasks, but only 53191 ports: start fewer tasks per node");
  CHECK(said(with(step(0), {{"SLURM_LOCALID", "1"}})).find("SLURM_LOCALID is 1, but 0 follows") !=
        std::string::npos);
}
