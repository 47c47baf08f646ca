#include "training/plugins/torch/member.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "algorithms/base/text.hpp"
#include "collectives/emulated_machines.hpp"

namespace arlab::training {

Member this_process(Rank rank, bool wants_sharing) {
  char machine[256] = "";
  gethostname(machine, sizeof machine - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const Rank each = collectives::ranks_per_emulated_machine();
  return {.rank = rank,
          .process = static_cast<int>(getpid()),
          .machine = machine,
          .system = concat("boot-", boot, "/", each > 0 ? rank / each : 0),
          .wants_sharing = wants_sharing,
          .processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
}

std::string text(const Member& member) {
  return concat("rank ", member.rank, " (process ", member.process, ")");
}

std::string packed(const Member& member) {
  return concat(member.rank, " ", member.process, " ", member.machine, " ", member.system, " ",
                member.wants_sharing ? 1 : 0, " ", member.processors);
}

Member unpacked_member(std::string_view text) {
  std::istringstream in{std::string(text)};
  Member member;
  in >> member.rank >> member.process >> member.machine >> member.system >> member.wants_sharing >>
      member.processors;
  return member;
}

bool are_on_one_machine(const std::vector<Member>& members) {
  return std::all_of(members.begin(), members.end(), [&](const Member& member) {
    return member.machine == members[0].machine && member.system == members[0].system;
  });
}

int processors_of(const std::vector<Member>& members) {
  int least = members.front().processors;
  for (const Member& member : members) least = std::min(least, member.processors);
  return least;
}

}  // namespace arlab::training
