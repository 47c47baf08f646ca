// Images of routes on a grid: shifts of the coordinates.
//
// In each dimension walk_dimensions() sees only how far the target is around the ring, and takes
// the first link to the neighbor. So a permutation that adds one number to each coordinate of all
// hosts maps routes onto routes, if it maps links onto equal links.
#include "simulator/topologies/routing/route_images.hpp"

namespace arlab::simulator {
namespace {

constexpr Rank kAny = -1;

// Returns what the permutation adds to each coordinate; nothing if it differs between hosts.
std::optional<std::vector<Rank>> shift_of(const Grid& grid, std::span<const Rank> image) {
  std::vector<Rank> shift(grid.dims.size(), kAny);
  for (Rank host = 0; host < static_cast<Rank>(image.size()); ++host) {
    Rank at = host, to = image[index(host)];
    if (to == RouteImages::kUnused) continue;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      const Rank size = grid.dims[d], by = (to % size - at % size + size) % size;
      if (shift[d] == kAny) shift[d] = by;
      if (shift[d] != by || (by != 0 && !grid.wrap)) return {};
      at /= size;
      to /= size;
    }
  }
  return shift;
}

Rank stepped(Rank host, Rank stride, Rank size, Rank by) {
  const Rank at = host / stride % size;
  return host + stride * ((at + by) % size - at);
}

}  // namespace

void RouteImages::list_steps(const Grid& grid) {
  for (Rank host = 0; host < topology_.hosts(); ++host) {
    Rank stride = 1;
    for (const Rank size : grid.dims) {
      for (const Rank by : {1, size - 1}) {
        const Rank next = stepped(host, stride, size, by);
        const auto cables = next == host ? std::span<const LinkId>{} : links_.between(host, next);
        steps_.push_back(cables.empty() ? -1 : cables[0]);
      }
      stride *= size;
    }
  }
}

std::optional<std::vector<LinkId>> RouteImages::on_grid(const Grid& grid,
                                                        std::span<const Rank> image) const {
  const auto shift = shift_of(grid, image);
  if (!shift) return {};
  LinkImages images(kinds_);
  const std::size_t each = 2 * grid.dims.size();
  for (Rank host = 0; host < topology_.hosts(); ++host) {
    Rank other = host, stride = 1;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      if ((*shift)[d] > 0) other = stepped(other, stride, grid.dims[d], (*shift)[d]);
      stride *= grid.dims[d];
    }
    for (std::size_t i = 0; i < each; ++i) {
      const LinkId link = steps_[index(host) * each + i], to = steps_[index(other) * each + i];
      if (link >= 0 && (to < 0 || !images.set(link, to))) return {};
    }
  }
  return std::move(images).take();
}

}  // namespace arlab::simulator
