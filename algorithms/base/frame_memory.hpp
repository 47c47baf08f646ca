// Memory for the frames of programs. A simulator starts a program per rank, a million in a row, and
// ends them together; a general allocator is a tenth of its time. Here a thread cuts frames off
// slabs one after another, and a slab goes back to the system when its last frame has ended.
#pragma once

#include <cstddef>

namespace arlab {

/// Returns memory for a frame, aligned for any type. Throws std::bad_alloc if there is none.
void* allocate_frame(std::size_t bytes);
/// Takes back what allocate_frame(bytes) has returned, from any thread.
void free_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace arlab
