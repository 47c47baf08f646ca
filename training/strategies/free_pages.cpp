#include "training/strategies/free_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace arlab::training {

void free_pages(std::span<float> data) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data.data());
  const std::uintptr_t end = begin + data.size_bytes();
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) {
    auto* const whole = reinterpret_cast<float*>(first);
    *whole = 1;  // shared memory keeps it, and must be overwritten
    const bool freed = madvise(whole, last - first, MADV_DONTNEED) == 0;
    if (freed && *static_cast<volatile float*>(whole) == 0) {
      std::fill(data.data(), whole, 0.0F);
      std::fill(reinterpret_cast<float*>(last), data.data() + data.size(), 0.0F);
      return;
    }
  }
  std::fill(data.begin(), data.end(), 0.0F);
}

}  // namespace arlab::training
