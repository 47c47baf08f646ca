#include "simulator/network.hpp"

#include "simulator/contention/link_flaps.hpp"

namespace arlab::simulator {

bool Network::flap_links(std::vector<LinkFlap> flaps) {
  if (!traits_.flaps) return false;
  *traits_.flaps = LinkFlaps(std::move(flaps));
  // What they know are the bandwidths at the start.
  if (!traits_.flaps->empty()) traits_.shortcuts = nullptr;
  return true;
}

}  // namespace arlab::simulator
