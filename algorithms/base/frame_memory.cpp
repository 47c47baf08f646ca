#include "algorithms/base/frame_memory.hpp"

#include <new>

// The address sanitizer can only watch what it has allocated itself; a browser has no thread_local
// objects with destructors.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARLAB_NO_SLABS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__wasm__)
#define ARLAB_NO_SLABS
#endif

#ifdef ARLAB_NO_SLABS

namespace arlab {

void* allocate_frame(std::size_t bytes) { return ::operator new(bytes); }
void free_frame(void* frame, std::size_t /*bytes*/) noexcept { ::operator delete(frame); }

}  // namespace arlab

#else

#include <atomic>
#include <cstdint>
#include <utility>

namespace arlab {
namespace {

constexpr std::size_t kSlab = std::size_t{1} << 20;     // bytes, and the alignment of slabs
constexpr std::size_t kLargest = std::size_t{8} << 10;  // bytes of a frame in a slab
constexpr std::size_t kAlignment = alignof(std::max_align_t);

// The begin of a slab; frames follow.
struct alignas(kAlignment) Slab {
  // Frames that have ended, counted below zero. When its thread has filled the slab it adds the
  // number of all frames, so that zero says that none is left.
  std::atomic<std::int64_t> balance{0};
  std::int64_t frames = 0;
  std::size_t used = sizeof(Slab);

  static Slab* create() { return new (::operator new (kSlab, std::align_val_t{kSlab})) Slab; }
  static Slab* of(void* frame) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): slabs are aligned to their size
    return reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(frame) & ~(kSlab - 1));
  }
  void destroy() { ::operator delete (static_cast<void*>(this), std::align_val_t{kSlab}); }

  bool has_room(std::size_t bytes) const { return used + bytes <= kSlab; }
  void* cut(std::size_t bytes) {
    ++frames;
    return reinterpret_cast<std::byte*>(this) + std::exchange(used, used + bytes);
  }
  bool all_ended() const { return balance.load(std::memory_order_acquire) == -frames; }
  void reset() {
    balance.store(0, std::memory_order_relaxed);
    frames = 0;
    used = sizeof(Slab);
  }
  // No more frames will be cut off. From the addition on, another thread may end the last frame
  // and with it the slab: `frames` must not be read after it.
  void close() {
    const std::int64_t all = frames;
    if (balance.fetch_add(all, std::memory_order_acq_rel) == -all) destroy();
  }
  void end_frame() {
    if (balance.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }
};

// The slab that a thread cuts from.
class CurrentSlab {
 public:
  CurrentSlab() = default;
  CurrentSlab(const CurrentSlab&) = delete;
  CurrentSlab& operator=(const CurrentSlab&) = delete;
  ~CurrentSlab() {
    if (slab_ != nullptr) slab_->close();
  }
  void* cut(std::size_t bytes) {
    if (slab_ == nullptr || !slab_->has_room(bytes)) renew();
    return slab_->cut(bytes);
  }

 private:
  void renew() {
    if (slab_ != nullptr && slab_->all_ended()) return slab_->reset();
    Slab* const next = Slab::create();  // may throw: then the present one stays
    if (slab_ != nullptr) slab_->close();
    slab_ = next;
  }
  Slab* slab_ = nullptr;
};

std::size_t rounded(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool is_large(std::size_t bytes) { return bytes > kLargest; }

}  // namespace

void* allocate_frame(std::size_t bytes) {
  if (is_large(bytes)) return ::operator new(bytes);
  static thread_local CurrentSlab current;
  return current.cut(rounded(bytes));
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  if (is_large(bytes))
    ::operator delete(frame);
  else
    Slab::of(frame)->end_frame();
}

}  // namespace arlab

#endif
