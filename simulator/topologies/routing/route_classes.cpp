#include "simulator/topologies/routing/route_classes.hpp"

#include <utility>
#include <vector>

namespace arlab::simulator {
namespace {

// Of ranks: who sends, and who receives.
using RankPairs = std::vector<std::pair<Rank, Rank>>;

// Returns the pairs of the ranks that represent their classes; nothing if all have many.
std::optional<RankPairs> pairs_of_classes(const RankSymmetry& symmetry, const PeersOf& peers_of) {
  constexpr Count kMost = Count{1} << 18;  // of all ranks: a tenth of a second
  RankPairs pairs;
  for (Rank c = 0; c < symmetry.classes(); ++c) {
    const Rank from = symmetry.representative(c);
    const auto peers = peers_of(from);
    if (!peers) return {};
    for (const Rank to : *peers) pairs.emplace_back(from, to);
    if (static_cast<Count>(pairs.size()) * symmetry.shifts() > kMost) return {};
  }
  return pairs;
}

// Returns the pairs of all ranks that send; nothing if these are many.
std::optional<RankPairs> pairs_that_send(const RankSymmetry& symmetry, const PeersOf& peers_of) {
  std::optional<RankPairs> pairs = pairs_of_classes(symmetry, peers_of);
  for (std::size_t digit = 0; pairs && digit < symmetry.digits(); ++digit) {
    const std::size_t so_far = pairs->size();
    const Rank period = symmetry.period(digit);
    for (Rank by = period; by < symmetry.radix(digit); by += period)
      for (std::size_t i = 0; i < so_far; ++i) {
        const auto [from, to] = (*pairs)[i];
        pairs->emplace_back(symmetry.shifted(from, digit, by), symmetry.shifted(to, digit, by));
      }
  }
  return pairs;
}

// Finds the images of links under the smallest shift of a digit that maps routes onto routes.
class DigitShift {
 public:
  DigitShift(const RankSymmetry& symmetry, const Topology& topology, Router& router,
             std::span<const Rank> host_of, const PeersOf& peers_of)
      : symmetry_(symmetry),
        images_(topology, router.links(), router.routing()),
        router_(router),
        hosts_(topology.hosts()),
        host_of_(host_of),
        peers_of_(peers_of) {}

  struct Found {
    Rank by = 0;
    std::vector<LinkId> images;
  };

  std::optional<Found> find(std::size_t digit) {
    const Rank radix = symmetry_.radix(digit);
    for (Rank by = symmetry_.period(digit); by < radix; by += symmetry_.period(digit)) {
      if (radix % by != 0) continue;
      auto images = images_.of(hosts_shifted(digit, by));
      if (!images) images = by_routes(digit, by);
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

  // Without a structure that proves it. Links that no message takes are their own images.
  std::optional<std::vector<LinkId>> by_routes(std::size_t digit, Rank by) {
    if (!std::exchange(has_asked_, true)) pairs_ = pairs_that_send(symmetry_, peers_of_);
    if (!pairs_) return {};
    LinkImages images(images_.kinds());
    std::vector<LinkId> route;
    for (const auto& [from, to] : *pairs_) {
      const auto there = route_of(from, to);
      route.assign(there.begin(), there.end());
      const auto other =
          route_of(symmetry_.shifted(from, digit, by), symmetry_.shifted(to, digit, by));
      if (other.size() != route.size()) return {};
      for (std::size_t i = 0; i < route.size(); ++i)
        if (!images.set(route[i], other[i])) return {};
    }
    return std::move(images).take();
  }

  std::span<const LinkId> route_of(Rank from, Rank to) {
    return router_.route(host_of_[index(from)], host_of_[index(to)]);
  }

  const RankSymmetry& symmetry_;
  RouteImages images_;
  Router& router_;
  Rank hosts_;
  std::span<const Rank> host_of_;
  const PeersOf& peers_of_;
  bool has_asked_ = false;
  std::optional<RankPairs> pairs_;
};

}  // namespace

std::optional<RouteClasses> find_route_classes(const RankSymmetry& symmetry,
                                               const Topology& topology, Router& router,
                                               std::span<const Rank> host_of,
                                               const PeersOf& peers_of) {
  LinkOrbits orbits(topology.links().size());
  DigitShift shift(symmetry, topology, router, host_of, peers_of);
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
