// LinkOrbits: the links that permutations of a network map onto one another.
//
// Permutations that map routes onto routes, and links onto links of equal bandwidth, map the
// max-min fair rates of messages onto themselves if they map the messages onto one another: these
// rates are unique. So one link of each orbit stands for all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simulator/topologies/build/topology.hpp"

namespace arlab::simulator {

class LinkOrbits {
 public:
  explicit LinkOrbits(std::size_t links);

  /// Joins the orbits of each link and of its image.
  void join(std::span<const LinkId> images);
  /// Numbers the orbits. To be called before the functions below, and after join().
  void number();

  std::size_t count() const { return first_.size(); }
  std::int32_t of(LinkId link) const { return orbit_[static_cast<std::size_t>(link)]; }
  LinkId first(std::int32_t orbit) const { return first_[static_cast<std::size_t>(orbit)]; }
  Count size(std::int32_t orbit) const { return size_[static_cast<std::size_t>(orbit)]; }
  /// Returns the value of each link, given those of the orbits.
  std::vector<double> spread(std::span<const double> of_orbits) const;

 private:
  LinkId root(LinkId link);

  std::vector<LinkId> parent_;  // of each link in its orbit; the root's own
  std::vector<std::int32_t> orbit_;
  std::vector<LinkId> first_;
  std::vector<Count> size_;
};

}  // namespace arlab::simulator
