#include "training/emulation/in_flight_messages.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {

void InFlightMessages::post(const Channel& channel, InFlightMessage message) {
  queues_[key(channel)].messages.push_back(std::move(message));
}

InFlightMessage InFlightMessages::take(const Channel& channel) {
  const auto found = queues_.find(key(channel));
  expects(found != queues_.end() && found->second.taken < found->second.messages.size(),
          "a message arrives that nobody sent");
  Queue& pile = found->second;
  InFlightMessage message = std::move(pile.messages[pile.taken++]);
  if (pile.taken == pile.messages.size()) {
    pile.messages.clear();
    pile.taken = 0;
  }
  return message;
}

std::size_t InFlightMessages::waiting(const Channel& channel) const {
  const auto found = queues_.find(key(channel));
  return found == queues_.end() ? 0 : found->second.messages.size() - found->second.taken;
}

std::string InFlightMessages::left_over() const {
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& [channel, pile] : queues_)
    if (!pile.messages.empty()) first = std::min(first, channel);
  if (first == ~std::uint64_t{0}) return "";
  return "a message on lane " + std::to_string(first >> 20) + " from rank " +
         std::to_string(first >> 10 & 1023) + " to rank " + std::to_string(first & 1023);
}

}  // namespace arlab::training
