#include "training/emulation/in_flight_messages.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {

void InFlightMessages::post(const Way& way, ByteMessage letter) {
  piles_[key(way)].letters.push_back(std::move(letter));
}

ByteMessage InFlightMessages::take(const Way& way) {
  const auto found = piles_.find(key(way));
  expects(found != piles_.end() && found->second.taken < found->second.letters.size(),
          "a message arrives that was not sent");
  Pile& pile = found->second;
  ByteMessage letter = std::move(pile.letters[pile.taken++]);
  if (pile.taken == pile.letters.size()) {
    pile.letters.clear();
    pile.taken = 0;
  }
  return letter;
}

std::size_t InFlightMessages::waiting(const Way& way) const {
  const auto found = piles_.find(key(way));
  return found == piles_.end() ? 0 : found->second.letters.size() - found->second.taken;
}

std::string InFlightMessages::left_over() const {
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& [way, pile] : piles_)
    if (!pile.letters.empty()) first = std::min(first, way);
  if (first == ~std::uint64_t{0}) return "";
  return "a message on lane " + std::to_string(first >> 20) + " from rank " +
         std::to_string(first >> 10 & 1023) + " to rank " + std::to_string(first & 1023);
}

}  // namespace arlab::training
