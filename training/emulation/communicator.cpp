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
  scheduler_.self();
  scheduler_.throw_if_canceled();
  if (lane < 0 || lane >= kMaxLanes)
    fail(Blame::usage, "lane " + std::to_string(lane) + " is out of range: emulated ranks have " +
                           std::to_string(kMaxLanes) + " lanes; use fewer segments");
  for (const collectives::Transfer& t : round) {
    expects(t.peer >= 0 && t.peer < ranks() && t.peer != rank(), "the peer must be another rank");
    expects(t.elements > 0, "an empty message must not be sent");
  }
  Open& open = lanes_[lane];
  expects(!open.in_progress, "a lane starts a round before its previous one is done");
  open.transfers.assign(round.begin(), round.end());
  open.operand = operand;
  open.in_progress = true;
  started_.push_back(lane);
  idle_poll_ = Time{-1};
  if (round.empty()) return done_.push_back(lane);
  post(lane, open);
  scheduler_.simulation().start(rank(), lane, posted_, scheduler_.now(), {.turn = open.turn});
}

// Copies what the round sends now.
void EmulatedCommunicator::post(int lane, const Open& open) {
  posted_.clear();
  const collectives::Transfer* last = nullptr;  // whose copy can be reused
  InFlightMessage message;
  for (const collectives::Transfer& t : open.transfers) {
    const std::size_t size = bytes(t, open.operand);
    posted_.push_back(
        {t.added_later ? ActionKind::reduce : t.kind, t.peer, static_cast<Bytes>(size)});
    if (t.kind != ActionKind::send) continue;
    if (!last || last->data != t.data || last->elements != t.elements) {
      std::shared_ptr<std::byte[]> copy(new std::byte[size]);
      std::memcpy(copy.get(), t.data, size);
      message = {std::move(copy), t.elements, size};
      last = &t;
    }
    world_.in_flight.post({lane, rank(), t.peer}, message);
  }
}

void EmulatedCommunicator::round_ended(int lane) {
  done_.push_back(lane);
  if (waiter_) scheduler_.wake(*std::exchange(waiter_, nullptr));
}

int EmulatedCommunicator::wait() {
  CooperativeScheduler::Actor& self = scheduler_.self();
  scheduler_.throw_if_canceled();
  expects(!started_.empty(), "wait() without a started lane");
  expects(!waiter_, "two threads of a rank wait for its rounds at once");
  while (done_.empty()) {
    waiter_ = &self;
    scheduler_.wait(self, [this] { return reason(); });
    waiter_ = nullptr;
    scheduler_.throw_if_canceled();
  }
  return take_done();
}

// Repeated polls without progress wait for the next event of the simulation.
int EmulatedCommunicator::poll() {
  CooperativeScheduler::Actor& self = scheduler_.self();
  scheduler_.throw_if_canceled();
  if (done_.empty() && idle_poll_ == scheduler_.now()) {
    scheduler_.wait_for_anything(self);
    scheduler_.throw_if_canceled();
  }
  if (!done_.empty()) return take_done();
  idle_poll_ = scheduler_.now();
  return -1;
}

int EmulatedCommunicator::take_done() {
  const int lane = done_.front();
  done_.pop_front();
  std::erase(started_, lane);
  Open& open = lanes_.find(lane)->second;
  open.in_progress = false;
  receive(lane, open);
  return lane;
}

// Delivers the round's messages in listed order. What it sent was copied earlier.
void EmulatedCommunicator::receive(int lane, const Open& open) {
  for (const collectives::Transfer& t : open.transfers) {
    if (t.kind == ActionKind::send) continue;
    const InFlightMessage message = world_.in_flight.take({lane, t.peer, rank()});
    if (message.elements != t.elements || message.bytes != bytes(t, open.operand))
      fail(Blame::check, "rank " + std::to_string(t.peer) + " sends " +
                             std::to_string(message.elements) + " elements to rank " +
                             std::to_string(rank()) + ", which expects " +
                             std::to_string(t.elements) + ": verify the schedule");
    if (t.kind == ActionKind::reduce)
      collectives::reduce_into(t.data, message.content.get(), t.elements, open.operand);
    else
      std::memcpy(t.data, message.content.get(), message.bytes);
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

// Returns the first message that has not been sent to this rank, else the rank that must receive.
std::string EmulatedCommunicator::reason(int lane, const Open& open) const {
  std::string text = "lane " + std::to_string(lane);
  std::unordered_map<Rank, std::size_t> from;
  for (const collectives::Transfer& t : open.transfers)
    if (t.kind != ActionKind::send &&
        ++from[t.peer] > world_.in_flight.waiting({lane, t.peer, rank()}))
      return text + " (a message from rank " + std::to_string(t.peer) + ")";
  for (const collectives::Transfer& t : open.transfers)
    if (t.kind == ActionKind::send)
      return text + " (rank " + std::to_string(t.peer) + " to take its message)";
  return text;
}

// Waits until all ranks have arrived; then all continue, by rank.
collectives::AllreduceBarrier::Value EmulatedCommunicator::meet(
    collectives::AllreduceBarrier::Value mine) {
  CooperativeScheduler::Actor& self = scheduler_.self();
  scheduler_.throw_if_canceled();
  EmulatedWorld& w = world_;
  const auto me = static_cast<std::size_t>(rank());
  w.values[me] = mine;
  w.waiting[me] = &self;
  if (++w.arrived == w.ranks) {
    w.arrived = 0;
    w.result = {};
    for (const collectives::AllreduceBarrier::Value& value : w.values)
      w.result = {std::max(w.result.largest, value.largest), w.result.sum + value.sum};
    for (CooperativeScheduler::Actor* actor : w.waiting) scheduler_.wake(*actor);
  }
  scheduler_.wait(self, [] { return std::string("waits for all ranks (a barrier, max or sum)"); });
  scheduler_.throw_if_canceled();
  return w.result;
}

}  // namespace arlab::training
