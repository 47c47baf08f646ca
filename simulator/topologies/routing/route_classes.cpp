#include "simulator/topologies/routing/route_classes.hpp"

#include <utility>
#include <vector>

namespace arlab::simulator {
namespace {

// Finds the images of links under the smallest shift of a digit that maps routes onto routes.
class DigitShift {
 public:
  DigitShift(const RankSymmetry& symmetry, const Topology& topology, Router& router,
             std::span<const Rank> host_of)
      : symmetry_(symmetry),
        images_(topology, router.links(), router.routing()),
        router_(router),
        hosts_(topology.hosts()),
        host_of_(host_of) {}

  struct Found {
    Rank by = 0;
    std::vector<LinkId> images;
  };

  std::optional<Found> find(std::size_t digit) const {
    const Rank radix = symmetry_.radix(digit);
    for (Rank by = symmetry_.period(digit); by < radix; by += symmetry_.period(digit)) {
      if (radix % by != 0) continue;
      const std::vector<Rank> image = hosts_shifted(digit, by);
      auto images = images_.of(image);
      if (!images) images = by_all_routes(image);
      if (images) return Found{by, std::move(*images)};
    }
    return {};
  }

 private:
  std::vector<Rank> hosts_shifted(std::size_t digit, Rank by) const {
    std::vector<Rank> image(index(hosts_), RouteImages::kUnused);
    for (Rank r = 0; r < symmetry_.ranks(); ++r)
      image[index(host_of_[index(r)])] = host_of_[index(symmetry_.shifted(r, digit, by))];
    return image;
  }

  // Without a structure that proves it: by the routes of all pairs, if these are few.
  std::optional<std::vector<LinkId>> by_all_routes(std::span<const Rank> image) const {
    constexpr std::size_t kMostRanks = 512;  // milliseconds, where all ranks take seconds
    if (host_of_.size() > kMostRanks) return {};
    LinkImages images(images_.kinds());
    std::vector<LinkId> route;
    for (const Rank a : host_of_)
      for (const Rank b : host_of_) {
        const auto there = router_.route(a, b);
        route.assign(there.begin(), there.end());
        const auto other = router_.route(image[index(a)], image[index(b)]);
        if (other.size() != route.size()) return {};
        for (std::size_t i = 0; i < route.size(); ++i)
          if (!images.set(route[i], other[i])) return {};
      }
    return std::move(images).take();
  }

  const RankSymmetry& symmetry_;
  RouteImages images_;
  Router& router_;
  Rank hosts_;
  std::span<const Rank> host_of_;
};

}  // namespace

std::optional<RouteClasses> find_route_classes(const RankSymmetry& symmetry,
                                               const Topology& topology, Router& router,
                                               std::span<const Rank> host_of) {
  LinkOrbits orbits(topology.links().size());
  const DigitShift shift(symmetry, topology, router, host_of);
  std::vector<Rank> periods;
  for (std::size_t digit = 0; digit < symmetry.digits(); ++digit) {
    const auto found = shift.find(digit);
    if (found) orbits.join(found->images);
    periods.push_back(found ? found->by : symmetry.radix(digit));
  }
  RankSymmetry usable = symmetry.restricted(periods);
  if (usable.shifts() == 1) return {};
  orbits.number();
  return RouteClasses{std::move(usable), std::move(orbits)};
}

}  // namespace arlab::simulator
