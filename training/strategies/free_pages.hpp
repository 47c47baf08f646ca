// free_pages: sets memory to 0, and returns its pages to the system until they are used again.
#pragma once

#include <span>

namespace arlab::training {

/// Sets the floats to 0. Whole pages of private memory are freed; others are overwritten.
void free_pages(std::span<float> data);

}  // namespace arlab::training
