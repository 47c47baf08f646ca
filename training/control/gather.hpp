// Gather and scatter: texts, of any bytes, from all ranks to rank 0 and back.
#pragma once

#include <string>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::training {

/// Every rank calls it; rank 0 gets all texts by rank, the others nothing.
std::vector<std::string> gather(collectives::Communicator& communicator, const std::string& text);

/// Every rank calls it; each gets its own of rank 0's texts, one a rank.
std::string scatter(collectives::Communicator& communicator, const std::vector<std::string>& texts);

}  // namespace arlab::training
