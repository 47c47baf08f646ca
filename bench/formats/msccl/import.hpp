// MSCCL programs as schedules of arlab.
//
// Rounds know no thread blocks and no scratch memory, and name the same chunks at both ends of a
// message. Chunks of a message that waits in scratch memory may be used in parts. What a program
// does beyond that is refused with the reason:
// - Copies between buffers are kept only where they are part of a message or change nothing.
// - A sum that is passed on but not stored (rrs) leaves its chunk unusable until it is overwritten.
// - Steps that access the same memory must be ordered by thread blocks, awaited steps and messages.
#pragma once

#include <string>

#include "algorithms/verify/script.hpp"
#include "bench/formats/msccl/program.hpp"

namespace arlab::bench {

/// Throws Error(usage) that names the file, gpu, tb and step. The schedule still has to be verified
/// (algorithm_of).
Script script_of(const MscclProgram& program, const std::string& path);

}  // namespace arlab::bench
