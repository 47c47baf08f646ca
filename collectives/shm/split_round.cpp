#include "collectives/shm/split_round.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {

void SplitRound::start(SharedChannels& channels, Communicator& between, int lane,
                       std::span<const Transfer> round, Operand operand) {
  if (channels.reaches_all()) return near_.start(channels, lane, round, operand);
  operand_ = operand;
  staged_.clear();
  split(channels, round);
  if (parts_meet()) stage(channels, round);
  near_.start(channels, lane, near_part_, operand);
  far_open_ = !far_part_.empty();
  if (far_open_) between.start(lane, far_part_, operand);
}

void SplitRound::split(const SharedChannels& channels, std::span<const Transfer> round) {
  near_part_.clear();
  far_part_.clear();
  for (const Transfer& t : round) (channels.reaches(t.peer) ? near_part_ : far_part_).push_back(t);
}

// Whether one part receives in memory that the other reads or writes.
bool SplitRound::parts_meet() const {
  return std::any_of(near_part_.begin(), near_part_.end(), [&](const Transfer& a) {
    return std::any_of(far_part_.begin(), far_part_.end(), [&](const Transfer& b) {
      return (a.kind != ActionKind::send || b.kind != ActionKind::send) &&
             share_bytes(a.data, bytes_of(a), b.data, bytes_of(b));
    });
  });
}

void SplitRound::stage(const SharedChannels& channels, std::span<const Transfer> round) {
  std::size_t needed = 0;
  for (const Transfer& t : round) {
    if (t.kind == ActionKind::send) continue;
    staged_.push_back({t, needed});
    needed += bytes_of(t);
  }
  if (scratch_.size() < needed) scratch_.resize(needed);
  std::vector<Transfer> landing(round.begin(), round.end());
  auto staged = staged_.begin();
  for (Transfer& t : landing) {
    if (t.kind == ActionKind::send) continue;
    t.added_later = t.kind == ActionKind::reduce;
    t.kind = ActionKind::replace;
    t.data = scratch_.data() + (staged++)->at;
  }
  split(channels, landing);
}

void SplitRound::finish() {
  for (const auto& [t, at] : staged_)
    if (t.kind == ActionKind::reduce)
      reduce_into(t.data, scratch_.data() + at, t.elements, operand_);
    else
      std::memcpy(t.data, scratch_.data() + at, bytes_of(t));
  staged_.clear();
}

std::size_t SplitRound::bytes_in_progress() const {
  std::size_t bytes = near_.bytes_in_progress();
  if (far_open_)
    for (const Transfer& t : far_part_) bytes += bytes_of(t);
  return bytes;
}

void SplitRound::abandon() noexcept {
  near_.abandon();
  far_open_ = false;
  staged_.clear();
}

}  // namespace arlab::collectives
