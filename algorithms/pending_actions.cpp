#include "algorithms/pending_actions.hpp"

#include <algorithm>

namespace arlab {
namespace {

constexpr std::uint64_t kPositions = std::uint64_t{1} << 31;

// Returns the place of the action at position 0 with this peer and direction in the order of an
// index.
std::uint64_t first_of(Rank peer, bool sends) {
  return (std::uint64_t{static_cast<std::uint32_t>(peer)} << 1 | (sends ? 1 : 0)) * kPositions;
}

}  // namespace

void PendingActions::post(Round round) {
  actions_ = round.data();
  size_ = left_ = static_cast<std::uint32_t>(round.size());
  taken_ = 0;
  if (round.size() <= kScanned) {
    index_.reset();
    return;
  }
  if (!index_) index_ = std::make_unique<Index>();
  auto& order = index_->order;
  order.resize(round.size());
  for (std::uint32_t i = 0; i < size_; ++i)
    order[i] = first_of(round[i].peer, round[i].sends()) | i;
  std::sort(order.begin(), order.end());
  index_->cursor.assign(round.size(), 0);
  index_->taken.assign(round.size(), false);
}

int PendingActions::take_indexed(Rank peer, bool sends) {
  const auto& order = index_->order;
  const std::uint64_t first = first_of(peer, sends);
  const auto head = std::lower_bound(order.begin(), order.end(), first);
  if (head == order.end()) return kNone;
  std::uint32_t& cursor = index_->cursor[static_cast<std::size_t>(head - order.begin())];
  for (; cursor < order.end() - head && head[cursor] - first < kPositions; ++cursor) {
    const std::uint64_t i = head[cursor] - first;
    if (index_->taken[i]) continue;
    drop(i);
    return static_cast<int>(i);
  }
  return kNone;
}

void PendingActions::drop(std::size_t position) {
  if (index_)
    index_->taken[position] = true;
  else
    taken_ |= 1u << position;
  --left_;
}

int PendingActions::first() const {
  for (std::size_t i = 0; i < size_; ++i)
    if (!is_taken(i)) return static_cast<int>(i);
  return kNone;
}

}  // namespace arlab
