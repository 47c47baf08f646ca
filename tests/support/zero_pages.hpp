// Memory of whole pages, zero at first, as processes map it to share it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

namespace arlab {

struct ZeroPages {
  explicit ZeroPages(std::size_t bytes)
      : data(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{4096}))) {
    std::fill_n(data, bytes, std::byte{});
  }
  ~ZeroPages() { ::operator delete (data, std::align_val_t{4096}); }
  ZeroPages(const ZeroPages&) = delete;
  std::byte* data;
};

}  // namespace arlab
