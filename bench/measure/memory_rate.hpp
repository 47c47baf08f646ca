// memory_rate: how fast the ranks of a run copy memory, all at once: the limit of a collective
// between them.
#pragma once

#include "collectives/communicator.hpp"

namespace arlab::bench {

/// Returns the bytes that all ranks together read and write, in GB/s, while each copies a vector
/// into another that no cache holds; the median of a few passes. All ranks call it together, and
/// get the same. Takes about a tenth of a second.
double memory_rate(collectives::Communicator& ranks);

}  // namespace arlab::bench
