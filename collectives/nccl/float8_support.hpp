// Whether NCCL reduces 8-bit floats: from 2.24 on, on GPUs of compute capability 9.0 and newer.
#pragma once

#include <string>

namespace arlab::collectives {

/// Returns why NCCL does not reduce 8-bit floats, and what to do; empty if it does. `built` and
/// `linked` are the versions of NCCL's header and library, 22809 for 2.28.9; `capability` is the
/// least of all ranks' GPUs, 86 for 8.6.
std::string why_no_float8(int built, int linked, int capability);

}  // namespace arlab::collectives
