// Probe of real ranks: pairs send through the communicator that the executor uses.
#pragma once

#include <string>
#include <vector>

#include "bench/hunt/search/probe.hpp"
#include "collectives/communicator.hpp"

namespace arlab::bench {

/// Returns a probe of the ranks. All ranks make one, and use it in the same order; all get the same
/// times. The communicator must outlive it. bytes: of the largest message.
hunt::Probe ranks_probe(collectives::Communicator& communicator, Bytes bytes);

/// Returns by how much the ranks of a machine outnumber the processors that they may use, on the
/// machine where it is most: 4 where 8 ranks share 2. All ranks call it together.
double ranks_per_processor(collectives::Communicator& communicator);

}  // namespace arlab::bench
