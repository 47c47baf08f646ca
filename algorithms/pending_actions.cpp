#include "algorithms/pending_actions.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace arlab {

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
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    return std::make_tuple(round[i].peer, round[i].sends(), i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  index_->cursor.assign(round.size(), 0);
  index_->taken.assign(round.size(), false);
}

int PendingActions::take_indexed(Rank peer, bool sends) {
  const auto& order = index_->order;
  const auto wanted = std::make_tuple(peer, sends);
  const auto key = [&](std::uint32_t i) {
    return std::make_tuple(actions_[i].peer, actions_[i].sends());
  };
  const auto head = std::partition_point(order.begin(), order.end(),
                                         [&](std::uint32_t i) { return key(i) < wanted; });
  if (head == order.end()) return kNone;
  std::uint32_t& cursor = index_->cursor[static_cast<std::size_t>(head - order.begin())];
  for (; cursor < order.end() - head && key(head[cursor]) == wanted; ++cursor) {
    const std::uint32_t i = head[cursor];
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
