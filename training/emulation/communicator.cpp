#include "training/emulation/communicator.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::training {
namespace {

std::size_t bytes(const collectives::Transfer& t, collectives::Operand operand) {
  return static_cast<std::size_t>(t.elements) * collectives::size_of(operand.dtype);
}

}  // namespace

void EmulatedCommunicator::start(int lane, std::span<const collectives::Transfer> round,
                                 collectives::Operand operand) {
  kernel_.self();
  kernel_.leave_if_called_off();
  if (lane < 0 || lane >= kMaxLanes)
    fail(Blame::usage, "lane " + std::to_string(lane) + " of virtual ranks: there are at most " +
                           std::to_string(kMaxLanes) + " lanes, use fewer segments");
  for (const collectives::Transfer& t : round) {
    expects(t.peer >= 0 && t.peer < ranks() && t.peer != me_, "a peer is no other rank");
    expects(t.elements > 0, "an empty message was started");
  }
  Open& open = lanes_[lane];
  expects(!open.under_way, "a lane starts a round before its last is done");
  open.transfers.assign(round.begin(), round.end());
  open.operand = operand;
  open.under_way = true;
  started_.push_back(lane);
  polled_in_vain_ = Time{-1};
  if (round.empty()) return done_.push_back(lane);
  post(lane, open);
  kernel_.simulation().start(me_, lane, posted_, kernel_.now());
}

// What the round sends, as it is now.
void EmulatedCommunicator::post(int lane, const Open& open) {
  posted_.clear();
  const collectives::Transfer* last = nullptr;  // whose copy is at hand
  ByteMessage letter;
  for (const collectives::Transfer& t : open.transfers) {
    const std::size_t size = bytes(t, open.operand);
    posted_.push_back({t.kind, t.peer, static_cast<Bytes>(size)});
    if (t.kind != ActionKind::send) continue;
    if (!last || last->data != t.data || last->elements != t.elements) {
      std::shared_ptr<std::byte[]> copy(new std::byte[size]);
      std::memcpy(copy.get(), t.data, size);
      letter = {std::move(copy), t.elements, size};
      last = &t;
    }
    world_.office.post({lane, me_, t.peer}, letter);
  }
}

void EmulatedCommunicator::round_ended(int lane) {
  done_.push_back(lane);
  if (waiter_) kernel_.wake(*std::exchange(waiter_, nullptr));
}

int EmulatedCommunicator::wait() {
  CooperativeScheduler::Actor& self = kernel_.self();
  kernel_.leave_if_called_off();
  expects(!started_.empty(), "wait() without a started lane");
  expects(!waiter_, "two threads of a rank wait for its rounds");
  while (done_.empty()) {
    waiter_ = &self;
    kernel_.wait(self, [this] { return reason(); });
    waiter_ = nullptr;
    kernel_.leave_if_called_off();
  }
  return take_done();
}

// Who polls again and again, with nothing in between, waits for something to happen.
int EmulatedCommunicator::poll() {
  CooperativeScheduler::Actor& self = kernel_.self();
  kernel_.leave_if_called_off();
  if (done_.empty() && polled_in_vain_ == kernel_.now()) {
    kernel_.wait_for_anything(self);
    kernel_.leave_if_called_off();
  }
  if (!done_.empty()) return take_done();
  polled_in_vain_ = kernel_.now();
  return -1;
}

int EmulatedCommunicator::take_done() {
  const int lane = done_.front();
  done_.pop_front();
  std::erase(started_, lane);
  Open& open = lanes_.find(lane)->second;
  open.under_way = false;
  receive(lane, open);
  return lane;
}

// The round's messages, in listed order. Those that it sent were copied before.
void EmulatedCommunicator::receive(int lane, const Open& open) {
  for (const collectives::Transfer& t : open.transfers) {
    if (t.kind == ActionKind::send) continue;
    const ByteMessage letter = world_.office.take({lane, t.peer, me_});
    if (letter.elements != t.elements || letter.bytes != bytes(t, open.operand))
      fail(Blame::check, "rank " + std::to_string(t.peer) + " sends " +
                             std::to_string(letter.elements) + " elements to rank " +
                             std::to_string(me_) + ", which expects " + std::to_string(t.elements) +
                             ": `arlab verify` says where the schedule is wrong");
    if (t.kind == ActionKind::reduce)
      collectives::reduce_into(t.data, letter.content.get(), t.elements, open.operand);
    else
      std::memcpy(t.data, letter.content.get(), letter.bytes);
  }
}

void EmulatedCommunicator::abandon() noexcept {
  world_.abandoned = true;
  started_.clear();
  done_.clear();
}

std::string EmulatedCommunicator::reason() const {
  constexpr std::size_t kNamed = 3;
  std::string text = "waits for";
  for (std::size_t i = 0; i < std::min(kNamed, started_.size()); ++i)
    text += (i > 0 ? ", " : " ") + reason(started_[i], lanes_.at(started_[i]));
  if (started_.size() > kNamed)
    text += " and " + std::to_string(started_.size() - kNamed) + " more lanes";
  return text;
}

// The first message that was not sent to it, else whom it sends to.
std::string EmulatedCommunicator::reason(int lane, const Open& open) const {
  std::string text = "lane " + std::to_string(lane);
  std::unordered_map<Rank, std::size_t> from;
  for (const collectives::Transfer& t : open.transfers)
    if (t.kind != ActionKind::send && ++from[t.peer] > world_.office.waiting({lane, t.peer, me_}))
      return text + " (a message from rank " + std::to_string(t.peer) + ")";
  for (const collectives::Transfer& t : open.transfers)
    if (t.kind == ActionKind::send)
      return text + " (rank " + std::to_string(t.peer) + " to take its message)";
  return text;
}

// Nobody goes on before all have come; then all do, by rank.
collectives::AllreduceBarrier::Value EmulatedCommunicator::meet(
    collectives::AllreduceBarrier::Value mine) {
  CooperativeScheduler::Actor& self = kernel_.self();
  kernel_.leave_if_called_off();
  EmulatedWorld& w = world_;
  const auto me = static_cast<std::size_t>(me_);
  w.values[me] = mine;
  w.waiting[me] = &self;
  if (++w.arrived == w.ranks) {
    w.arrived = 0;
    w.result = {};
    for (const collectives::AllreduceBarrier::Value& value : w.values)
      w.result = {std::max(w.result.largest, value.largest), w.result.sum + value.sum};
    for (CooperativeScheduler::Actor* actor : w.waiting) kernel_.wake(*actor);
  }
  kernel_.wait(self, [] { return std::string("waits for all ranks (a barrier, max or sum)"); });
  kernel_.leave_if_called_off();
  return w.result;
}

}  // namespace arlab::training
