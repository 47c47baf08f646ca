// Workers: the items of a sweep in several threads, with their results in order.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace arlab::bench {

/// Returns the number of processors that this process may use.
int processors();

/// Calls work(item, thread) for items 0, 1, ... in the given number of threads, and meanwhile, in
/// the calling thread and in the order of the items, done(item) after the work. `units`: the number
/// of items of each unit; one thread works on all items of a unit, in order. If a call throws, no
/// further items are begun, and the exception of the first such item is thrown after done() of all
/// items before it.
void work_in_order(std::span<const std::size_t> units, int threads,
                   const std::function<void(std::size_t item, int thread)>& work,
                   const std::function<void(std::size_t item)>& done);

}  // namespace arlab::bench
