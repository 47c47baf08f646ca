// Fuzzes the parsers of host lists, Slurm's variables and TF_CONFIG: any text is either valid or a
// usage Error. The first byte selects the parser.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "algorithms/base/error.hpp"
#include "training/cluster/host_list.hpp"
#include "training/cluster/slurm.hpp"
#include "training/cluster/tf_config.hpp"

namespace {

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

void check(const Cluster& c) {
  const bool trains = c.task == Task::chief || c.task == Task::worker;
  const bool makes_sense = trains ? c.rank >= 0 && c.rank < c.workers && c.local_rank >= 0 &&
                                        c.local_rank < c.local_workers && c.chief == (c.rank == 0)
                                  : c.rank == -1 && !c.chief;
  if (!makes_sense) std::abort();
  if (c.source != "nobody" && c.addresses.size() != static_cast<std::size_t>(c.workers))
    std::abort();
}

// The lines are: hosts, tasks, rank, GPUs.
void slurm(std::string_view text) {
  std::string lines[4];
  for (std::string& line : lines) {
    line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  check(parse_slurm([&](const std::string& variable) -> std::optional<std::string> {
    if (variable == "SLURM_STEP_NODELIST") return lines[0];
    if (variable == "SLURM_STEP_TASKS_PER_NODE") return lines[1];
    if (variable == "SLURM_PROCID") return lines[2];
    if (variable == "SLURM_GPUS_ON_NODE") return lines[3];
    return std::nullopt;
  }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] == 'h') {
      expand_hosts(text, "hosts");
    } else if (data[0] == 's') {
      slurm(text);
    } else {
      check(parse_tf_config(text));
    }
  } catch (const Error& error) {
    if (error.blame() != Blame::usage) std::abort();
  }
  return 0;
}
