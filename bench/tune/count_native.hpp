// count_native: runs the library's own collectives once, and counts what each pair of ranks sends.
#pragma once

#include <string>

#include "bench/tune/match.hpp"
#include "collectives/communicator.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

/// Runs an allreduce by `native` (see Baseline::use()), checks its result, and counts its
/// messages. All ranks call it together; rank 0 gets the counts. Throws Error(environment) if the
/// library does not count messages, and Error(check) if the result is wrong.
CountedTraffic count_native(collectives::Communicator& communicator, Count elements,
                            collectives::Operand operand, const std::string& native);

}  // namespace arlab::bench
