// RouteImages: where links go under a permutation of hosts that maps routes onto routes.
//
// Such a permutation maps the route from a to b onto the route from the image of a to that of b. On
// a structured network a route depends on few numbers of its two hosts, such as the coordinates on
// a torus and the digits that D-mod-k reads on a fat tree. If the permutation maps each of these
// numbers, and a table of all their values proves that it does, then it maps the routes of all
// pairs. What a hash or a table of distances chooses is refused, unless there is one way only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "simulator/topologies/routing/link_index.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::simulator {

/// Returns a number for each link, equal for links of equal bandwidth and latency.
std::vector<std::int32_t> kinds_of(std::span<const Link> links);

/// Collects images of links.
class LinkImages {
 public:
  /// kinds: of the links, which must outlive this.
  explicit LinkImages(std::span<const std::int32_t> kinds)
      : kinds_(kinds), images_(kinds.size(), kNone) {}

  /// Returns false if the link has another image, or is of another kind than the image.
  bool set(LinkId link, LinkId image) {
    LinkId& known = images_[static_cast<std::size_t>(link)];
    if (known != kNone) return known == image;
    known = image;
    return kinds_[static_cast<std::size_t>(link)] == kinds_[static_cast<std::size_t>(image)];
  }
  /// Returns the image of each link; links without one are their own.
  std::vector<LinkId> take() && {
    for (std::size_t link = 0; link < images_.size(); ++link)
      if (images_[link] == kNone) images_[link] = static_cast<LinkId>(link);
    return std::move(images_);
  }

 private:
  static constexpr LinkId kNone = -1;
  std::span<const std::int32_t> kinds_;
  std::vector<LinkId> images_;
};

class RouteImages {
 public:
  /// routing: not `automatic`. Both must outlive this.
  RouteImages(const Topology& topology, const LinkIndex& links, Routing routing);

  /// image: of each host, another one; kUnused for hosts that send and receive nothing. Returns the
  /// image of each link; nothing if it is not proved that all routes between used hosts have
  /// the routes between their images as images, over links of equal bandwidth and latency.
  std::optional<std::vector<LinkId>> of(std::span<const Rank> image) const;
  /// Of the links, as kinds_of() returns them.
  std::span<const std::int32_t> kinds() const { return kinds_; }

  static constexpr Rank kUnused = -1;

 private:
  std::optional<std::vector<LinkId>> on_grid(const Grid& grid, std::span<const Rank> image) const;
  std::optional<std::vector<LinkId>> on_tree(const Tree& tree, std::span<const Rank> image) const;
  std::optional<std::vector<LinkId>> on_switch(NodeId middle, std::span<const Rank> image) const;
  std::optional<std::vector<LinkId>> on_mesh(std::span<const Rank> image) const;
  void list_steps(const Grid& grid);

  const Topology& topology_;
  const LinkIndex& links_;
  Routing routing_;
  std::vector<std::int32_t> kinds_;  // of links
  std::vector<LinkId> steps_;  // on a grid: the links up and down of each host in each dimension
};

}  // namespace arlab::simulator
