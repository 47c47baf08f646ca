#include "simulator/topologies/routing/link_orbits.hpp"

#include <algorithm>
#include <numeric>

namespace arlab::simulator {

LinkOrbits::LinkOrbits(std::size_t links) : parent_(links) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

LinkId LinkOrbits::root(LinkId link) {
  const auto parent = [&](LinkId of) -> LinkId& { return parent_[static_cast<std::size_t>(of)]; };
  while (parent(link) != link) link = parent(link) = parent(parent(link));
  return link;
}

void LinkOrbits::join(std::span<const LinkId> images) {
  for (std::size_t link = 0; link < images.size(); ++link) {
    const LinkId a = root(static_cast<LinkId>(link)), b = root(images[link]);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
}

// A root is the first link of its orbit.
void LinkOrbits::number() {
  orbit_.resize(parent_.size());
  for (std::size_t link = 0; link < parent_.size(); ++link) {
    const auto first = static_cast<std::size_t>(root(static_cast<LinkId>(link)));
    if (first == link) {
      orbit_[link] = static_cast<std::int32_t>(first_.size());
      first_.push_back(static_cast<LinkId>(link));
      size_.push_back(0);
    }
    orbit_[link] = orbit_[first];
    ++size_[static_cast<std::size_t>(orbit_[link])];
  }
}

std::vector<double> LinkOrbits::spread(std::span<const double> of_orbits) const {
  std::vector<double> all;
  all.reserve(orbit_.size());
  for (const std::int32_t orbit : orbit_) all.push_back(of_orbits[static_cast<std::size_t>(orbit)]);
  return all;
}

}  // namespace arlab::simulator
