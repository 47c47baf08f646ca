#include "collectives/threads/thread_round.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

bool overlap(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  const std::less<const std::byte*> before;
  return before(a, b + b_bytes) && before(b, a + a_bytes);
}

}  // namespace

void ThreadRound::start(ThreadChannels& channels, MeasuredCopy& copy, int lane, Rank me,
                        std::span<const Transfer> round, Operand operand) {
  channels_ = &channels;
  copy_ = &copy;
  me_ = me;
  operand_ = operand;
  sends_.clear();
  receives_.clear();
  for (const Transfer& t : round) {
    expects(t.elements > 0, "an empty message was started");
    if (t.kind == ActionKind::send)
      sends_.push_back({t.data, t.elements, t.peer, &channels.mailboxes.slot(lane, me, t.peer)});
    else
      receives_.push_back({t, &channels.mailboxes.slot(lane, t.peer, me)});
  }
  open_ = round.size();
  chain();
  for (Send& send : sends_)
    if (channels.mailboxes.copies(bytes(send.elements))) progress(send);
  snapshot();
  for (Send& send : sends_) progress(send);
}

// Messages to one peer share a slot, which may become empty while later ones are examined.
void ThreadRound::chain() {
  if (sends_.size() < 2) return;
  std::vector<Send*> by_slot;
  for (Send& send : sends_) by_slot.push_back(&send);
  std::sort(by_slot.begin(), by_slot.end(), [](const Send* a, const Send* b) {
    return a->slot != b->slot ? std::less<const Slot*>()(a->slot, b->slot) : a < b;
  });
  for (std::size_t i = 1; i < by_slot.size(); ++i)
    if (by_slot[i]->slot == by_slot[i - 1]->slot) by_slot[i]->earlier = by_slot[i - 1];
}

void ThreadRound::snapshot() {
  std::size_t needed = 0;
  std::vector<std::pair<Send*, std::size_t>> copies;
  for (Send& send : sends_) {
    if (send.posted || !is_changed(send)) continue;
    const bool again = !copies.empty() && copies.back().first->data == send.data &&
                       copies.back().first->elements == send.elements;
    copies.emplace_back(&send, again ? copies.back().second : needed);
    if (!again) needed += bytes(send.elements);
  }
  if (snapshot_.size() < needed) snapshot_.resize(needed);
  std::size_t copied = 0;
  for (const auto& [send, offset] : copies) {
    if (offset == copied) {
      (*copy_)(snapshot_.data() + offset, send->data, bytes(send->elements));
      copied += bytes(send->elements);
    }
    send->data = snapshot_.data() + offset;
  }
}

bool ThreadRound::is_changed(const Send& send) const {
  return std::any_of(receives_.begin(), receives_.end(), [&](const Receive& receive) {
    return overlap(send.data, bytes(send.elements), receive.transfer.data,
                   bytes(receive.transfer.elements));
  });
}

bool ThreadRound::progress() {
  bool any = false;
  for (Send& send : sends_) any |= progress(send);
  for (Receive& receive : receives_) any |= progress(receive);
  return any;
}

bool ThreadRound::progress(Send& send) {
  if (send.consumed || (send.earlier && !send.earlier->posted) || !send.slot->is_empty())
    return false;
  if (!send.posted) {
    send.posted = true;
    if (channels_->mailboxes.copies(bytes(send.elements))) {
      send.slot->post_copy(send.data, send.elements, bytes(send.elements));
      send.consumed = true;
      --open_;
    } else {
      send.slot->post(send.data, send.elements);
    }
    channels_->event_count(send.peer).notify();
  } else {
    send.consumed = true;
    --open_;
  }
  return true;
}

bool ThreadRound::progress(Receive& receive) {
  if (receive.done || !receive.arrived() || !is_its_turn(receive)) return false;
  if (receive.staged) {
    store(receive.transfer, receive.staged.get());
    receive.staged.reset();
  } else if (!is_first_from_its_peer(receive) ||
             !with_message(receive, [&](const std::byte* m) { store(receive.transfer, m); })) {
    return false;
  }
  receive.done = true;
  --open_;
  return true;
}

bool ThreadRound::stage_one() {
  for (Receive& receive : receives_) {
    if (receive.done || receive.staged || !receive.arrived() || !is_first_from_its_peer(receive))
      continue;
    const std::size_t size = bytes(receive.transfer.elements);
    if (with_message(receive, [&](const std::byte* message) {
          receive.staged = std::make_unique_for_overwrite<std::byte[]>(size);
          std::memcpy(receive.staged.get(), message, size);
        }))
      return true;
  }
  return false;
}

bool ThreadRound::is_first_from_its_peer(const Receive& receive) const {
  for (const Receive* earlier = receives_.data(); earlier != &receive; ++earlier)
    if (!earlier->done && !earlier->staged && earlier->transfer.peer == receive.transfer.peer)
      return false;
  return true;
}

bool ThreadRound::is_its_turn(const Receive& receive) const {
  const Transfer& t = receive.transfer;
  for (const Receive* earlier = receives_.data(); earlier != &receive; ++earlier)
    if (!earlier->done && overlap(earlier->transfer.data, bytes(earlier->transfer.elements), t.data,
                                  bytes(t.elements)))
      return false;
  return true;
}

/// Claims the message, uses it and empties the slot. Returns false if there is none.
template <class Use>
bool ThreadRound::with_message(Receive& receive, Use use) {
  const std::byte* const message = receive.slot->claim();
  if (!message) return false;
  struct Emptied {
    ThreadRound* round;
    Receive* receive;
    ~Emptied() {
      receive->slot->empty();
      round->channels_->event_count(receive->transfer.peer).notify();
    }
  } const emptied{this, &receive};
  const Transfer& t = receive.transfer;
  if (receive.slot->claimed_elements() != t.elements)
    fail(Blame::check, "rank " + std::to_string(t.peer) + " sends " +
                           std::to_string(receive.slot->claimed_elements()) + " elements to rank " +
                           std::to_string(me_) + ", which expects " + std::to_string(t.elements) +
                           ": verify the algorithm to find the faulty round");
  use(message);
  return true;
}

void ThreadRound::store(const Transfer& transfer, const std::byte* message) const {
  if (transfer.kind == ActionKind::reduce)
    reduce_into(transfer.data, message, transfer.elements, operand_);
  else
    (*copy_)(transfer.data, message, bytes(transfer.elements));
}

std::string ThreadRound::awaited() const {
  for (const Receive& receive : receives_)
    if (!receive.done) return "a message from rank " + std::to_string(receive.transfer.peer);
  for (const Send& send : sends_)
    if (!send.consumed) return "rank " + std::to_string(send.peer) + " to take a message";
  return "";
}

void ThreadRound::withdraw() {
  for (Send& send : sends_)
    if (send.posted) send.slot->withdraw();
  open_ = 0;
}

}  // namespace arlab::collectives
