#include "collectives/shm/passing.hpp"

#include <algorithm>

namespace arlab::collectives {

Passings::Peer& Passings::peer_of(Rank rank) {
  const auto at = static_cast<std::size_t>(rank);
  if (at >= peers_.size()) peers_.resize(at + 1);
  auto& its = peers_[at];
  if (!its) its = std::make_unique<Peer>();
  return *its;
}

Passing Passings::choose(int lane, Rank peer, std::size_t bytes) {
  if (bytes <= kFewBytes) return {};
  Peer& its = peer_of(peer);
  if (its.sample != 0) learn(its, peer);
  const auto [way, measured] = pick(its, peer, bytes);
  Passing passing{.stays = way == Way::read, .streams = way == Way::streamed};
  if (!measured) return passing;
  its.samples = its.samples == 0xffff ? 1 : static_cast<std::uint16_t>(its.samples + 1);
  passing.sample = its.sample = its.samples;
  its.way = way;
  its.lane = lane;
  its.bytes = bytes;
  its.posting = {};
  return passing;
}

// The lower rank decides for both, once it has sent a message of that size.
WayChoice::Pick Passings::pick(Peer& its, Rank peer, std::size_t bytes) {
  const bool may_read = may_read_ && bytes > Slots::kBufferBytes;
  std::atomic<std::uint8_t>& decided =
      slots_.decisions(std::min(me_, peer), std::max(me_, peer)).ways[WayChoice::class_of(bytes)];
  const std::uint8_t known = decided.load(std::memory_order_relaxed);
  if (me_ > peer && known != 0) {
    const auto way = static_cast<Way>(known - 1);
    return {way == Way::read && !may_read ? Way::copied : way, false};
  }
  const WayChoice::Pick pick = its.ways.pick(bytes, may_read);
  const auto decision = static_cast<std::uint8_t>(static_cast<std::uint8_t>(pick.way) + 1);
  if (me_ < peer && decision != known) decided.store(decision, std::memory_order_relaxed);
  return pick;
}

// If the receiver has reported.
void Passings::learn(Peer& its, Rank peer) {
  const std::atomic<std::uint64_t>& slot = slots_.slot(its.lane, me_, peer).report;
  const auto report = Report::of(slot.load(std::memory_order_relaxed));
  if (report.sample != its.sample) return;
  its.sample = 0;
  const auto posting = static_cast<double>(its.posting.count());
  its.ways.learn(its.bytes, its.way,
                 static_cast<double>(report.nanoseconds) + (report.includes_posting ? 0 : posting));
}

}  // namespace arlab::collectives
