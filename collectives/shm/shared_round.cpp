#include "collectives/shm/shared_round.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of a long message: stays in the cache between reading and adding.
constexpr std::size_t kBlockBytes = 256 << 10;

// Whether the cell stands for the whole message.
bool is_whole(const Cell& cell) {
  return cell.place == MessagePlace::sender || cell.place == MessagePlace::region;
}

}  // namespace

bool share_bytes(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  const std::less<const std::byte*> before;
  return before(a, b + b_bytes) && before(b, a + a_bytes);
}

void SharedRound::start(SharedChannels& channels, int lane, std::span<const Transfer> round,
                        Operand operand) {
  channels_ = &channels;
  lane_ = lane;
  operand_ = operand;
  sends_.clear();
  receives_.clear();
  snapshots_.clear();
  channels.use(lane);
  for (const Transfer& t : round) {
    expects(t.elements > 0, "an empty message was started");
    const std::size_t bytes = static_cast<std::size_t>(t.elements) * size_of(operand.dtype);
    if (t.kind == ActionKind::send)
      sends_.push_back({t.data, bytes, t.peer});
    else
      receives_.push_back({t, bytes});
  }
  open_ = round.size();
  is_first_look_ = true;
  if (std::any_of(receives_.begin(), receives_.end(),
                  [](const Receive& r) { return r.bytes > Passings::kFewBytes; }))
    began_ = SteadyClock::now();
  for (Send& send : sends_) {
    const bool is_kept = send.bytes > SharedChannels::kMappedBytes && !is_changed(send);
    send.passing = channels.passing(lane, send.peer, send.data, send.bytes, is_kept);
  }
  chain();
  take_snapshots(true);
  for (Send& send : sends_) progress(send);
  take_snapshots(false);
}

// Messages to one rank are sent one after the other.
void SharedRound::chain() {
  for (std::size_t i = 1; i < sends_.size(); ++i)
    for (std::size_t k = i; k-- > 0 && !sends_[i].earlier;)
      if (sends_[k].peer == sends_[i].peer) sends_[i].earlier = &sends_[k];
}

// Before anything is posted, of messages that stay; afterwards, of what did not find room.
void SharedRound::take_snapshots(bool of_what_stays) {
  const std::byte* copied = nullptr;  // the same memory may go to several ranks
  std::size_t bytes = 0;
  for (Send& send : sends_) {
    if (send.passing.stays != of_what_stays || send.is_posted() || !is_changed(send)) continue;
    if (send.data != copied || send.bytes != bytes) {
      copied = send.data;
      bytes = send.bytes;
      snapshots_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
      std::memcpy(snapshots_.back().get(), copied, bytes);
    }
    send.data = snapshots_.back().get();
  }
}

bool SharedRound::is_changed(const Send& send) const {
  return std::any_of(receives_.begin(), receives_.end(), [&](const Receive& r) {
    return share_bytes(send.data, send.bytes, r.transfer.data, r.bytes);
  });
}

bool SharedRound::progress() {
  bool any = false;
  for (Send& send : sends_) any |= progress(send);
  for (std::size_t i = 0; i < receives_.size(); ++i) any |= progress(i);
  is_first_look_ = false;
  return any;
}

bool SharedRound::progress(Send& send) {
  if (send.done || (send.earlier && !send.earlier->is_posted())) return false;
  bool any = false;
  if (!send.passing.stays) {
    while (!send.is_posted()) {
      const std::size_t posted =
          channels_->post(lane_, send.peer, send.data + send.posted, send.bytes - send.posted,
                          send.bytes, send.passing);
      if (posted == 0) return any;
      send.posted += posted;
      any = true;
    }
  } else if (!send.is_posted()) {
    send.number = channels_->post_address(lane_, send.peer, send.data, send.bytes, send.passing);
    if (send.number != 0) send.posted = send.bytes;
    return send.number != 0;
  } else if (!channels_->is_taken(lane_, send.peer, send.number)) {
    return false;
  }
  send.done = true;
  --open_;
  return true;
}

bool SharedRound::progress(std::size_t i) {
  Receive& receive = receives_[i];
  if (receive.done || !is_its_turn(receive)) return false;
  if (receive.staged && receive.got == receive.bytes) {
    finish(receive);
    return true;
  }
  bool any = false;
  const Transfer& t = receive.transfer;
  while (receive.got < receive.bytes) {
    const Cell* const cell = may_take(receive) ? arrived(receive) : nullptr;
    if (!cell) return any;
    any = true;
    if (is_whole(*cell) && t.kind == ActionKind::reduce && add_together(i)) return true;
    if (receive.staged)
      take_into(receive, *cell, receive.staged.get() + receive.got, false);
    else
      take_into(receive, *cell, t.data + receive.got, t.kind == ActionKind::reduce);
  }
  finish(receive);
  return true;
}

bool SharedRound::stage_one() {
  for (Receive& receive : receives_) {
    if (receive.done || receive.got == receive.bytes || is_its_turn(receive) || !may_take(receive))
      continue;
    const Cell* const cell = arrived(receive);
    if (!cell) continue;
    if (!receive.staged)
      receive.staged = std::make_unique_for_overwrite<std::byte[]>(receive.bytes);
    take_into(receive, *cell, receive.staged.get() + receive.got, false);
    return true;
  }
  return false;
}

// Messages from one rank arrive in their order.
bool SharedRound::may_take(const Receive& receive) const {
  for (const Receive* earlier = receives_.data(); earlier != &receive; ++earlier)
    if (earlier->got < earlier->bytes && earlier->transfer.peer == receive.transfer.peer)
      return false;
  return true;
}

bool SharedRound::is_its_turn(const Receive& receive) const {
  for (const Receive* earlier = receives_.data(); earlier != &receive; ++earlier)
    if (!earlier->done &&
        share_bytes(earlier->transfer.data, earlier->bytes, receive.transfer.data, receive.bytes))
      return false;
  return true;
}

const Cell* SharedRound::arrived(Receive& receive) {
  const Cell* const cell = channels_->arrived(lane_, receive.transfer.peer);
  if (cell && cell->total != receive.bytes)
    fail(Blame::check,
         "rank " + std::to_string(receive.transfer.peer) + " sends " + std::to_string(cell->total) +
             " bytes to rank " + std::to_string(channels_->me()) + ", which expects " +
             std::to_string(receive.bytes) + ": verify the algorithm to find the faulty round");
  if (cell && cell->sample != receive.report.sample) {
    receive.report = {.sample = cell->sample, .includes_posting = is_first_look_};
    receive.since = is_first_look_ ? began_ : SteadyClock::now();
  }
  return cell;
}

// Returns a part of a message that lies in one piece: in place, or copied from its sender's memory.
const std::byte* SharedRound::part_of(const Cell& cell, Rank from, std::size_t at,
                                      std::size_t bytes) {
  if (cell.place != MessagePlace::sender) return channels_->data_of(cell, lane_, from) + at;
  block_.resize(kBlockBytes);
  channels_->read(from, cell.address + at, block_.data(), bytes);
  return block_.data();
}

void SharedRound::take_into(Receive& receive, const Cell& cell, std::byte* into, bool adds) {
  const Rank from = receive.transfer.peer;
  const auto element = static_cast<Count>(size_of(operand_.dtype));
  const std::size_t bytes = is_whole(cell) ? receive.bytes : cell.bytes;
  if (adds)
    for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
      const std::size_t part = std::min(kBlockBytes, bytes - at);
      reduce_into(into + at, part_of(cell, from, at, part), static_cast<Count>(part) / element,
                  operand_);
    }
  else if (cell.place == MessagePlace::sender)
    channels_->place(from, cell.address, into, bytes);
  else if (cell.place == MessagePlace::region)
    channels_->copy(into, channels_->data_of(cell, lane_, from), bytes);
  else
    std::memcpy(into, channels_->data_of(cell, lane_, from), bytes);
  channels_->take(lane_, from);
  receive.got += bytes;
}

// Adds the messages of all receives from `first` on that go to the same memory and have arrived.
// Returns false if there is only one.
bool SharedRound::add_together(std::size_t first) {
  const Receive& one = receives_[first];
  std::vector<std::pair<Receive*, const Cell*>> all;
  for (std::size_t i = first; i < receives_.size(); ++i) {
    Receive& r = receives_[i];
    const bool alike = r.transfer.kind == ActionKind::reduce && r.bytes == one.bytes &&
                       r.transfer.data == one.transfer.data && !r.done && !r.staged && may_take(r);
    const Cell* const cell = alike ? arrived(r) : nullptr;
    if (!cell || !is_whole(*cell)) break;
    all.emplace_back(&r, cell);
  }
  if (all.size() < 2) return false;
  const auto element = static_cast<Count>(size_of(operand_.dtype));
  for (std::size_t at = 0; at < one.bytes; at += kBlockBytes) {
    const std::size_t part = std::min(kBlockBytes, one.bytes - at);
    for (const auto& [receive, cell] : all) {
      reduce_into(one.transfer.data + at, part_of(*cell, receive->transfer.peer, at, part),
                  static_cast<Count>(part) / element, operand_);
    }
  }
  for (const auto& [receive, cell] : all) {
    channels_->take(lane_, receive->transfer.peer);
    receive->got = receive->bytes;
    finish(*receive);
  }
  return true;
}

void SharedRound::finish(Receive& receive) {
  const Transfer& t = receive.transfer;
  if (receive.report.sample != 0) {
    const auto took = std::chrono::nanoseconds(SteadyClock::now() - receive.since);
    receive.report.nanoseconds = static_cast<std::uint64_t>(took.count());
    channels_->report(lane_, t.peer, receive.report);
  }
  if (receive.staged) {
    if (t.kind == ActionKind::reduce)
      reduce_into(t.data, receive.staged.get(), t.elements, operand_);
    else
      std::memcpy(t.data, receive.staged.get(), receive.bytes);
    receive.staged.reset();
  }
  receive.done = true;
  --open_;
}

std::string SharedRound::awaited() const {
  for (const Receive& receive : receives_)
    if (!receive.done)
      return "a message of " + std::to_string(receive.bytes) + " bytes from rank " +
             std::to_string(receive.transfer.peer);
  for (const Send& send : sends_)
    if (!send.done)
      return "rank " + std::to_string(send.peer) + " to take a message of " +
             std::to_string(send.bytes) + " bytes";
  return "messages";
}

std::size_t SharedRound::bytes_in_progress() const {
  std::size_t bytes = 0;
  for (const Send& send : sends_) bytes += send.done ? 0 : send.bytes;
  for (const Receive& receive : receives_) bytes += receive.done ? 0 : receive.bytes;
  return bytes;
}

}  // namespace arlab::collectives
