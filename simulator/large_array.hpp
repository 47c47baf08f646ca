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
  explicit LargeArray(std::size_t size) : bytes_(size * sizeof(T)) {
    data_ = static_cast<T*>(::operator new(bytes_, alignment()));
#ifdef __linux__
    // A system without large pages refuses, and loses only time.
    if (is_large()) (void)::madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  }
  LargeArray(LargeArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  LargeArray& operator=(LargeArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~LargeArray() { ::operator delete(data_, alignment()); }

  bool empty() const { return data_ == nullptr; }
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21, kLine = 64;
  static_assert(alignof(T) <= kLine);

  bool is_large() const { return bytes_ >= kPage; }
  std::align_val_t alignment() const { return std::align_val_t{is_large() ? kPage : kLine}; }

  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace arlab::simulator
