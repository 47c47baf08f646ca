// Runs the threads of one block of a kernel, in an order drawn at random: one warp may run far
// ahead of the others, or behind them. A thread runs until it waits at a barrier or for other lanes
// of its warp.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace arlab::fake_cuda {

/// Runs `thread` as each of `threads` threads; threadIdx is set, the other built-in variables are
/// the caller's. Returns what was wrong; empty if all was right: a barrier that not all threads
/// reach, lanes that are missing from a warp's operation or call different ones, a mask without its
/// own lane.
std::string run_block(unsigned threads, const std::function<void()>& thread,
                      std::minstd_rand& random);

/// The kernel's dynamic shared memory; set for each block before it runs.
extern std::byte* dynamic_shared;

}  // namespace arlab::fake_cuda
