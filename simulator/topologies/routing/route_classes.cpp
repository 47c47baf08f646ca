#include "simulator/topologies/routing/route_classes.hpp"

#include <utility>
#include <vector>

namespace arlab::simulator {
namespace {

// Finds the images of links under the smallest shift of a digit that maps routes onto routes.
class DigitShift {
 public:
  DigitShift(const RankSymmetry& symmetry, const RouteImages& images, Rank hosts,
             std::span<const Rank> host_of)
      : symmetry_(symmetry), images_(images), hosts_(hosts), host_of_(host_of) {}

  struct Found {
    Rank by = 0;
    std::vector<LinkId> images;
  };

  std::optional<Found> find(std::size_t digit) const {
    const Rank radix = symmetry_.radix(digit);
    for (Rank by = symmetry_.period(digit); by < radix; by += symmetry_.period(digit)) {
      if (radix % by != 0) continue;
      if (auto images = images_.of(hosts_shifted(digit, by))) return Found{by, std::move(*images)};
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

  const RankSymmetry& symmetry_;
  const RouteImages& images_;
  Rank hosts_;
  std::span<const Rank> host_of_;
};

}  // namespace

std::optional<RouteClasses> find_route_classes(const RankSymmetry& symmetry,
                                               const Topology& topology, const Router& router,
                                               std::span<const Rank> host_of) {
  const RouteImages images(topology, router.links(), router.routing());
  LinkOrbits orbits(topology.links().size());
  const DigitShift shift(symmetry, images, topology.hosts(), host_of);
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
