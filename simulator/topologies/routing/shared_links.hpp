// SharedLinks: the links that messages share: those of a topology, or one for each orbit of links
// where a message stands for its images under the shifts of ranks.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulator/topologies/routing/route_classes.hpp"

namespace arlab::simulator {

class SharedLinks {
 public:
  /// topology: must outlive this.
  SharedLinks(const Topology& topology, std::optional<RouteClasses> classes)
      : topology_(topology), classes_(std::move(classes)) {}

  std::size_t count() const {
    return classes_ ? classes_->links.count() : topology_.links().size();
  }
  const Link& operator[](LinkId number) const {
    return topology_.link(classes_ ? classes_->links.first(number) : number);
  }
  /// Returns what a message on this route takes: its links; or their orbits, each as often as the
  /// message and its images cross one of its links.
  std::vector<LinkId> crossed(std::span<const LinkId> route) const {
    if (!classes_) return {route.begin(), route.end()};
    std::vector<LinkId> all;
    for (const LinkId link : route) {
      const std::int32_t orbit = classes_->links.of(link);
      all.insert(all.end(), static_cast<std::size_t>(classes_->crossings(orbit)), orbit);
    }
    return all;
  }
  /// Returns the value of each link of the topology, given those of the shared ones.
  std::vector<double> spread(const std::vector<double>& values) const {
    return classes_ ? classes_->links.spread(values) : values;
  }

 private:
  const Topology& topology_;
  std::optional<RouteClasses> classes_;
};

}  // namespace arlab::simulator
