// Binding: on which processors each rank may run.
#pragma once

#include <string>
#include <vector>

#include "collectives/executor.hpp"

namespace arlab::bench {

/// Reads "core" (each rank of a machine on the next processor that this process may use), "none",
/// or a list of processors such as "0,2,4-7", which ranks take in turn. Throws Error(usage) for
/// anything else. Returns the processors; none for "none".
std::vector<int> parse_binding(const std::string& text);

/// Binds the calling thread, which runs a rank of the executor, to one of the processors, by the
/// rank's place on its machine. None: changes nothing. All executors of a run call it together.
/// Throws Error(environment) for a processor that the thread may not use.
void bind_rank(collectives::Executor& executor, const std::vector<int>& processors);

/// Returns where all ranks may run, by rank, as "0-1 x4" or "0|1|0|1", on the first rank. All
/// executors of a run call it together.
std::string binding_of_all(collectives::Executor& executor);

}  // namespace arlab::bench
