// Training from a profile was `arlab train -m profile:NAME` once: now it is `arlab plan`, which
// simulates it, and `arlab replay`. The old words work for one release, with a note.
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

/// Replaces the command `train` by `plan --breakdown` or by `replay` if its options ask for one of
/// these.
void use_command_of_profile(std::vector<std::string>& words);

}  // namespace arlab::bench
