// Words for actions and places in a program, of the verifier and of reports on running programs.
#pragma once

#include <string>

#include "algorithms/program.hpp"

namespace arlab {

/// Returns "chunk 3", "chunks 6 to 7 and 0 to 1", ....
std::string chunks_text(const Chunks& chunks, Rank ranks);

/// Returns "reduce chunk 3 from rank 1".
std::string action_text(const Action& action, Rank ranks);

/// Returns "rank 1, round 2: ".
std::string place_text(Rank rank, Count round);

}  // namespace arlab
