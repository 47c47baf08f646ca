// Member: a process of a job, as the others of its group see it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::training {

struct Member {
  Rank rank = 0;  ///< in the job
  int process = 0;
  std::string machine = {};
  std::string system = {};     ///< tells machines of the same name apart
  bool wants_sharing = false;  ///< whether its rules have shared memory
  int processors = 1;          ///< of its machine
};

Member this_process(Rank rank, bool wants_sharing);

/// Returns "rank 2 (process 1234)".
std::string text(const Member& member);

/// For the store, and back.
std::string packed(const Member& member);
Member unpacked_member(std::string_view text);

bool are_on_one_machine(const std::vector<Member>& members);

/// Returns the least number of processors that any has: all decide by it, and so alike.
int processors_of(const std::vector<Member>& members);

}  // namespace arlab::training
