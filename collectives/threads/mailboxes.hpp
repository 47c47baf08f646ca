// Mailboxes: messages between threads: one slot per lane, source and target.
//
// A short message is copied into the slot, and its sender is done. A longer one is not copied: its
// sender posts a pointer into an empty slot. The receiver claims it, reads the sender's memory and
// empties the slot. From then on the sender may change its memory. A sender that fails withdraws
// messages that are not being read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

class alignas(64) Slot {
 public:
  bool is_empty() const { return data_.load(std::memory_order_acquire) == nullptr; }

  /// For the sender; the slot must be empty.
  void post(const std::byte* data, Count elements) {
    elements_ = elements;
    data_.store(data, std::memory_order_release);
  }

  /// The same with a copy of the message.
  void post_copy(const std::byte* data, Count elements, std::size_t bytes) {
    if (!copy_) copy_ = std::make_unique_for_overwrite<std::byte[]>(kCopiedBytes);
    std::memcpy(copy_.get(), data, bytes);
    post(copy_.get(), elements);
  }
  static constexpr std::size_t kCopiedBytes = 2048;  ///< most that post_copy() takes

  /// For the receiver: returns the message, which is now being read, or nullptr if there is none.
  const std::byte* claim() {
    const std::byte* data = data_.load(std::memory_order_acquire);
    if (!data || !data_.compare_exchange_strong(data, &kBeingRead, std::memory_order_acquire))
      return nullptr;
    return data;
  }
  Count claimed_elements() const { return elements_; }
  void empty() { data_.store(nullptr, std::memory_order_release); }

  /// For the sender: returns when no thread reads the message, and none will.
  void withdraw();

 private:
  static constexpr std::byte kBeingRead{};

  std::atomic<const std::byte*> data_ = nullptr;
  Count elements_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

class Mailboxes {
 public:
  static constexpr int kMaxLanes = 4096;

  /// Up to that many ranks, slots have room for copies.
  static constexpr Rank kMostCopying = 64;

  explicit Mailboxes(Rank ranks) : ranks_(ranks) {}

  bool copies(std::size_t bytes) const {
    return bytes <= Slot::kCopiedBytes && ranks_ <= kMostCopying;
  }

  /// Creates the slot at its first use. Throws Error(usage) if `lane` is out of range.
  Slot& slot(int lane, Rank source, Rank target);

 private:
  using Table = std::vector<std::atomic<Slot*>>;

  Rank ranks_;
  std::array<std::atomic<Table*>, kMaxLanes> lanes_{};
  std::mutex growing_;
  std::deque<Table> tables_;
  std::deque<Slot> slots_;
};

}  // namespace arlab::collectives
