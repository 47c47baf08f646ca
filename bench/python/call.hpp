// call: a command, for a caller in this process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/options/caller.hpp"

namespace arlab::bench::python {

/// Runs a command that answers without files: show, verify, count, simulate, bound, run, plan, and
/// export, which writes one. `words`: the command, its arguments, and its options, as in a shell.
/// The caller takes the results. Returns 1 if anything was wrong, else 0. Throws Error as the
/// commands do, and Stopped.
int call(const std::vector<std::string>& words, const std::shared_ptr<Caller>& caller);

}  // namespace arlab::bench::python
