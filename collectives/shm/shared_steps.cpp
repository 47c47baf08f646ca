#include "collectives/shm/shared_steps.hpp"

#include <algorithm>

namespace arlab::collectives {
namespace {

constexpr std::size_t kPageOfSteps = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageOfSteps - 1) / kPageOfSteps * kPageOfSteps;
}

}  // namespace

std::size_t SharedSteps::bytes_for(Rank ranks) {
  const auto all = static_cast<std::size_t>(ranks);
  return whole_pages(all * sizeof(Ends)) + whole_pages(all * 2 * kSlots * kStride);
}

SharedSteps::SharedSteps(std::byte* memory, Rank me, Rank ranks, StepWaiting waiting)
    : memory_(memory),
      buffers_(memory + whole_pages(static_cast<std::size_t>(ranks) * sizeof(Ends))),
      me_(me),
      ranks_(ranks),
      waiting_(waiting),
      known_done_(static_cast<std::size_t>(ranks)) {}

std::byte* SharedSteps::payload(Rank rank, Side side, std::uint64_t step, std::size_t bytes) const {
  if (bytes <= Cell::kBytes) return cell(rank, side, step).data;
  const std::size_t slot =
      (static_cast<std::size_t>(rank) * 2 + static_cast<std::size_t>(side)) * kSlots +
      step % kSlots;
  return buffers_ + slot * kStride;
}

bool SharedSteps::has_room() const {
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (rank != me_ && next_ > kSlots &&
        ends(rank).done.load(std::memory_order_acquire) < next_ - kSlots)
      return false;
  return true;
}

bool SharedSteps::all_posted(Side side, std::uint64_t step) const {
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (rank != me_ && cell(rank, side, step).number.load(std::memory_order_acquire) != step)
      return false;
  return true;
}

std::byte* SharedSteps::room(Side side, std::uint64_t step, std::size_t bytes) {
  for (Rank rank = 0; rank < ranks_ && step > kSlots; ++rank) {
    std::uint64_t& known = known_done_[static_cast<std::size_t>(rank)];
    if (rank == me_ || known >= step - kSlots) continue;
    wait([&] {
      known = ends(rank).done.load(std::memory_order_acquire);
      return known >= step - kSlots;
    });
  }
  return payload(me_, side, step, bytes);
}

void SharedSteps::post(Side side, std::uint64_t step) {
  Cell& its = cell(me_, side, step);
  its.done = done_;
  its.number.store(step, std::memory_order_release);
}

const std::byte* SharedSteps::await(Rank from, Side side, std::uint64_t step, std::size_t bytes) {
  const Cell& its = cell(from, side, step);
  wait([&] { return its.number.load(std::memory_order_acquire) == step; });
  std::uint64_t& known = known_done_[static_cast<std::size_t>(from)];
  known = std::max(known, its.done);
  return payload(from, side, step, bytes);
}

void SharedSteps::done(std::uint64_t step) {
  done_ = step;
  ends(me_).done.store(step, std::memory_order_release);
}

}  // namespace arlab::collectives
