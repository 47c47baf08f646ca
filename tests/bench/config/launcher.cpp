#include "bench/config/launcher.hpp"

#include <cstdlib>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// Sets variables, and removes those of all launchers, until it ends.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
          "MV2_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PALS_RANKID", "PALS_SIZE", "SLURM_PROCID",
          "SLURM_NTASKS", "SLURM_NPROCS", "PMIX_RANK", "SLURM_STEP_ID", "SLURM_JOB_ID",
          "SLURM_STEP_NUM_TASKS"}) {
      if (const char* value = std::getenv(name)) earlier_[name] = value;
      unsetenv(name);
    }
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    set_ = variables;
  }
  ~Environment() {
    for (const auto& [name, value] : set_) unsetenv(name.c_str());
    for (const auto& [name, value] : earlier_) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> set_, earlier_;
};

std::string rank(const std::map<std::string, std::string>& variables) {
  const Environment environment(variables);
  const auto launched = launched_rank();
  return launched ? std::to_string(launched->rank) + " of " + std::to_string(launched->ranks)
                  : "none";
}

std::string refused(const std::map<std::string, std::string>& variables) {
  const Environment environment(variables);
  return failure([] { expect_launched_rank(); });
}

}  // namespace

TEST_CASE("the rank is the launcher's") {
  CHECK(rank({}) == "none");
  CHECK(rank({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}) == "3 of 4");
  CHECK(rank({{"SLURM_PROCID", "3"}, {"SLURM_NPROCS", "4"}}) == "3 of 4");
  CHECK(rank({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}) == "0 of 1");
  CHECK(rank({{"PMIX_RANK", "1"}, {"SLURM_NTASKS", "2"}}) == "1 of 2");
  CHECK(rank({{"SLURM_PROCID", "0"},
              {"SLURM_NTASKS", "2"},  // srun started one mpirun
              {"OMPI_COMM_WORLD_RANK", "5"},
              {"OMPI_COMM_WORLD_SIZE", "8"}}) == "5 of 8");
}

TEST_CASE("variables that are not a rank below the ranks are refused where a sweep is shared") {
  CHECK(refused({}).find("--jobs share finds no rank in the environment") != std::string::npos);
  for (const std::string bad : {"4", "-1", "abc", "", "1.5", "99999999999"}) {
    CHECK(rank({{"SLURM_PROCID", bad}, {"SLURM_NTASKS", "4"}}) == "none");
    CHECK(refused({{"SLURM_PROCID", bad}, {"SLURM_NTASKS", "4"}})
              .find("SLURM_PROCID is '" + bad + "' and SLURM_NTASKS is '4'") != std::string::npos);
  }
  CHECK(refused({{"SLURM_PROCID", "1"}}).find("SLURM_NTASKS is not set") != std::string::npos);
  CHECK(refused({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).empty());
}

TEST_CASE("several tasks of srun without an MPI job are refused with the words to use") {
  const auto text = [](const std::map<std::string, std::string>& variables, Rank ranks) {
    const Environment environment(variables);
    return failure([&] { expect_one_job(ranks); });
  };
  const std::string refusal = text({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}, 0);
  CHECK(
      refusal.starts_with("2: srun started 4 tasks (SLURM_NTASKS), but they are not one MPI job"));
  CHECK(refusal.find("srun --mpi=pmix -n 4 arlab") != std::string::npos);
  const std::map<std::string, std::string> step{{"SLURM_NTASKS", "8"},
                                                {"SLURM_STEP_NUM_TASKS", "2"},
                                                {"SLURM_JOB_ID", "7"},
                                                {"SLURM_STEP_ID", "0"}};
  CHECK(text(step, 1).starts_with("2: srun started 2 tasks (SLURM_STEP_NUM_TASKS)"));
  CHECK(text(step, 2).empty());
  CHECK(text({}, 0).empty());
  CHECK(text({{"SLURM_NTASKS", "1"}}, 0).empty());
  CHECK(text({{"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "7"}}, 0).empty());  // a batch script
  CHECK(text({{"SLURM_NTASKS", "8"}, {"OMPI_COMM_WORLD_SIZE", "1"}}, 1).empty());
}
