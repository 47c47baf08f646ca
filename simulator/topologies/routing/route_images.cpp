#include "simulator/topologies/routing/route_images.hpp"

#include <map>

#include "simulator/topologies/build/distances.hpp"

namespace arlab::simulator {

std::vector<std::int32_t> kinds_of(std::span<const Link> links) {
  std::map<std::pair<double, std::int64_t>, std::int32_t> numbers;
  std::vector<std::int32_t> kinds;
  kinds.reserve(links.size());
  const Link* latest = nullptr;  // most links are like the one before
  for (const Link& link : links) {
    const bool is_same =
        latest && link.bandwidth == latest->bandwidth && link.latency == latest->latency;
    const auto next = static_cast<std::int32_t>(numbers.size());
    kinds.push_back(
        is_same
            ? kinds.back()
            : numbers.emplace(std::pair(link.bandwidth, link.latency.count()), next).first->second);
    latest = &link;
  }
  return kinds;
}

RouteImages::RouteImages(const Topology& topology, const LinkIndex& links, Routing routing)
    : topology_(topology), links_(links), routing_(routing), kinds_(kinds_of(topology.links())) {
  if (routing_ == Routing::dimension) list_steps(std::get<Grid>(topology_.structure()));
}

namespace {

bool is_used(Rank image) { return image != RouteImages::kUnused; }

// Returns the switch that is next to all used hosts; -1 if there is none.
NodeId middle_of(const Topology& topology, std::span<const Rank> image) {
  NodeId middle = -1;
  for (Rank host = 0; host < topology.hosts(); ++host) {
    if (!is_used(image[index(host)])) continue;
    const LinkId down = only_link_to(topology, host);
    if (down < 0) return -1;
    const NodeId from = topology.link(down).from;
    if (topology.is_host(from) || (middle >= 0 && from != middle)) return -1;
    middle = from;
  }
  return middle;
}

}  // namespace

std::optional<std::vector<LinkId>> RouteImages::of(std::span<const Rank> image) const {
  const Structure& structure = topology_.structure();
  switch (routing_) {
    case Routing::dimension:
      return on_grid(std::get<Grid>(structure), image);
    case Routing::d_mod_k:
      return on_tree(std::get<Tree>(structure), image);
    case Routing::shortest:
    case Routing::ecmp:
      if (const NodeId middle = middle_of(topology_, image); middle >= 0)
        return on_switch(middle, image);
      return on_mesh(image);
    default:
      return {};
  }
}

// A host's only link up, and the switch's only link down: there is one way between two hosts.
std::optional<std::vector<LinkId>> RouteImages::on_switch(NodeId middle,
                                                          std::span<const Rank> image) const {
  LinkImages images(kinds_);
  for (Rank host = 0; host < topology_.hosts(); ++host) {
    const Rank other = image[index(host)];
    if (!is_used(other)) continue;
    const auto up = links_.between(host, middle), to = links_.between(other, middle);
    const auto down = links_.between(middle, host), from = links_.between(middle, other);
    if (up.size() != 1 || to.size() != 1 || !images.set(up[0], to[0]) ||
        !images.set(down[0], from[0]))
      return {};
  }
  return std::move(images).take();
}

// A router takes the only link between two hosts, if there is one.
std::optional<std::vector<LinkId>> RouteImages::on_mesh(std::span<const Rank> image) const {
  LinkImages images(kinds_);
  for (Rank a = 0; a < topology_.hosts(); ++a)
    for (Rank b = 0; b < topology_.hosts(); ++b) {
      if (a == b || !is_used(image[index(a)]) || !is_used(image[index(b)])) continue;
      const auto direct = links_.between(a, b);
      const auto other = links_.between(image[index(a)], image[index(b)]);
      if (direct.size() != 1 || other.size() != 1 || !images.set(direct[0], other[0])) return {};
    }
  return std::move(images).take();
}

}  // namespace arlab::simulator
