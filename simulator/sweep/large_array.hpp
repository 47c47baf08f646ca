// LargeArray: memory that is not initialized, in large pages where the system has them.
//
// Small pages would fault once per 4 KiB at the first write, which takes longer than a sweep.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace arlab::simulator {

template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), kPage))) {
#ifdef __linux__
    // A system without large pages refuses, and loses only time.
    if (size * sizeof(T) >= static_cast<std::size_t>(kPage))
      (void)::madvise(data_, size * sizeof(T), MADV_HUGEPAGE);
#endif
  }
  LargeArray(LargeArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  LargeArray& operator=(LargeArray other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~LargeArray() { ::operator delete(data_, kPage); }

  bool empty() const { return data_ == nullptr; }
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  static constexpr std::align_val_t kPage{std::size_t{1} << 21};

  T* data_ = nullptr;
};

}  // namespace arlab::simulator
