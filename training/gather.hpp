// Gather: texts from all ranks to rank 0.
#pragma once

#include <string>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab {

/// Every rank calls it; rank 0 gets all texts by rank, the others nothing.
std::vector<std::string> gather(Communicator& communicator, const std::string& text);

}  // namespace arlab
