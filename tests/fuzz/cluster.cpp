// Fuzzes the parsers of host lists, Slurm's variables and TF_CONFIG: any text is either valid or a
// usage Error. The first byte selects the parser.
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "training/cluster/host_list.hpp"
#include "training/cluster/slurm.hpp"
#include "training/cluster/tf_config.hpp"

namespace {

using namespace arlab;
using namespace arlab::training;

void demand_sense(const Cluster& c) {
  const bool trains = c.task == Task::chief || c.task == Task::worker;
  const bool makes_sense = trains ? c.rank >= 0 && c.rank < c.workers && c.local_rank >= 0 &&
                                        c.local_rank < c.local_workers && c.chief == (c.rank == 0)
                                  : c.rank == -1 && !c.chief;
  fuzz::demand(makes_sense, "a cluster that makes no sense");
  fuzz::demand(c.source == "nobody" || c.addresses.size() == static_cast<std::size_t>(c.workers),
               "another number of addresses than of workers");
}

// The lines are: hosts, tasks, rank, GPUs.
void slurm(std::string_view text) {
  std::string lines[4];
  for (std::string& line : lines) {
    line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  demand_sense(parse_slurm([&](const std::string& variable) -> std::optional<std::string> {
    if (variable == "SLURM_STEP_NODELIST") return lines[0];
    if (variable == "SLURM_STEP_TASKS_PER_NODE") return lines[1];
    if (variable == "SLURM_PROCID") return lines[2];
    if (variable == "SLURM_GPUS_ON_NODE") return lines[3];
    return std::nullopt;
  }));
}

}  // namespace

void arlab::fuzz::cluster(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  accepted([&] {
    if (input[0] == 'h')
      demand(!expand_hosts(text, "hosts").empty(), "no hosts");
    else if (input[0] == 's')
      slurm(text);
    else
      demand_sense(parse_tf_config(text));
  });
}
