#include "collectives/threads/mailboxes.hpp"

#include <string>
#include <thread>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {
namespace {

/// Returns the object that `place` points to, after creating it with `make` if there is none.
template <class T, class Make>
T& get_or_make(std::atomic<T*>& place, std::mutex& growing, Make make) {
  T* found = place.load(std::memory_order_acquire);
  if (!found) {
    const std::lock_guard lock(growing);
    found = place.load(std::memory_order_relaxed);
    if (!found) {
      found = &make();
      place.store(found, std::memory_order_release);
    }
  }
  return *found;
}

}  // namespace

void Slot::withdraw() {
  for (;;) {
    const std::byte* posted = data_.load(std::memory_order_acquire);
    if (!posted) return;
    if (posted == &kBeingRead)
      std::this_thread::yield();
    else if (data_.compare_exchange_strong(posted, nullptr))
      return;
  }
}

Slot& Mailboxes::slot(int lane, Rank source, Rank target) {
  if (lane < 0 || lane >= kMaxLanes)
    fail(Blame::usage, "lane " + std::to_string(lane) + " of threads: there are at most " +
                           std::to_string(kMaxLanes) + " lanes, use fewer segments");
  const auto ranks = static_cast<std::size_t>(ranks_);
  Table& table = get_or_make(lanes_[static_cast<std::size_t>(lane)], growing_,
                             [&]() -> Table& { return tables_.emplace_back(ranks * ranks); });
  auto& place = table[static_cast<std::size_t>(target) * ranks + static_cast<std::size_t>(source)];
  return get_or_make(place, growing_, [&]() -> Slot& { return slots_.emplace_back(); });
}

}  // namespace arlab::collectives
