// PendingActions: the actions of one posted round that are not matched yet.
//
// take() finds the first one with a given peer and direction. Short rounds, which most algorithms
// have, use a bit mask. Long rounds use an index sorted by peer, so that a round with a million
// peers is not searched a million times.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/program.hpp"

namespace arlab {

class PendingActions {
 public:
  static constexpr int kNone = -1;

  /// Forgets the previous round. `round` must stay valid until the next post().
  void post(Round round);

  /// Takes the first untaken action with this peer and direction. Returns its index, or kNone.
  int take(Rank peer, bool sends) {
    return index_ ? take_indexed(peer, sends) : take_scanned(peer, sends);
  }

  /// Takes the untaken action at `position`, such as a send without elements, which never happens.
  void drop(std::size_t position);

  /// Returns the index of the first untaken action, or kNone.
  int first() const;
  bool is_taken(std::size_t position) const {
    return index_ ? static_cast<bool>(index_->taken[position]) : (taken_ >> position & 1) != 0;
  }
  Count left() const { return left_; }
  /// Refers to another copy of the round, which must stay valid until the next post().
  void move_to(const Action* actions) { actions_ = actions; }
  Round round() const { return {actions_, size_}; }

 private:
  static constexpr std::size_t kScanned = 32;  // bits in the mask

  struct Index {
    std::vector<std::uint64_t> order;   // actions by peer, direction, position, in one number each
    std::vector<std::uint32_t> cursor;  // at the head of each run: how many of it are taken
    std::vector<bool> taken;
  };

  int take_scanned(Rank peer, bool sends) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      const Action& a = actions_[i];
      if (a.peer == peer && a.sends() == sends && !(taken_ >> i & 1)) {
        taken_ |= 1u << i;
        --left_;
        return static_cast<int>(i);
      }
    }
    return kNone;
  }
  int take_indexed(Rank peer, bool sends);

  // 28 bytes in all: the simulator keeps one for each of a million ranks.
  std::unique_ptr<Index> index_;
  const Action* actions_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t taken_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace arlab
