#include "simulator/topologies/routing/structured_routes.hpp"

#include <algorithm>

#include "simulator/topologies/build/dragonfly.hpp"

namespace arlab::simulator {
namespace {

// Extends the route to the router where it enters the group.
void enter_group(RouteBuilder& route, const DragonflyShape& shape, std::int32_t group, NodeId goal,
                 std::uint64_t key) {
  const NodeId here = route.at();
  if (shape.group_of(here) == group) return;
  const auto cable = shape.best_cable(here, group, goal, key);
  if (cable.out != here) route.to(cable.out);
  route.to(cable.in, cable.which);
}

void arrive(RouteBuilder& route, const DragonflyShape& shape, Rank target, std::uint64_t key) {
  const NodeId router = shape.router_of(target);
  enter_group(route, shape, shape.group_of(router), router, key);
  if (route.at() != router) route.to(router);
  route.to(target);
}

}  // namespace

void walk_dimensions(RouteBuilder& route, const Grid& grid, Rank target) {
  NodeId stride = 1;
  for (const std::int32_t size : grid.dims) {
    const std::int32_t from = route.at() / stride % size, to = target / stride % size;
    const std::int32_t up = (to - from + size) % size;
    const bool upwards = grid.wrap ? 2 * up <= size : to > from;
    for (std::int32_t at = from; at != to;) {
      const std::int32_t next = (at + (upwards ? 1 : size - 1)) % size;
      route.to(route.at() + (next - at) * stride);
      at = next;
    }
    stride *= size;
  }
}

void walk_d_mod_k(RouteBuilder& route, const TreeShape& shape, Rank source, Rank target) {
  const Tree& tree = shape.tree();
  int level = 0;
  Count position = source, rest = target;
  while (level == 0 || !shape.below(level, position, target)) {
    const std::int32_t parents = tree.up[static_cast<std::size_t>(level)];
    const std::int32_t port = static_cast<std::int32_t>(
        rest % (Count{parents} * tree.count[static_cast<std::size_t>(level)]));
    rest /= parents;
    position = shape.parent(level, position, port % parents);
    route.to(shape.node(++level, position), port / parents);
  }
  for (; level > 0; --level) {
    position = shape.child(level, position, shape.branch(level, target));
    route.to(shape.node(level - 1, position),
             source % tree.count[static_cast<std::size_t>(level - 1)]);
  }
}

void walk_minimal(RouteBuilder& route, const Dragonfly& dragonfly, Rank target, std::uint64_t key) {
  const DragonflyShape shape(dragonfly);
  route.to(shape.router_of(route.at()));
  arrive(route, shape, target, key);
}

void walk_valiant(RouteBuilder& route, const Dragonfly& dragonfly, Rank source, Rank target,
                  std::uint64_t key) {
  const DragonflyShape shape(dragonfly);
  const NodeId first = shape.router_of(source), last = shape.router_of(target);
  const std::int32_t from = shape.group_of(first), to = shape.group_of(last);
  route.to(first);
  if (from != to && dragonfly.groups > 2) {
    auto third = static_cast<std::int32_t>(key % static_cast<std::uint64_t>(dragonfly.groups - 2));
    for (const std::int32_t taken : {std::min(from, to), std::max(from, to)})
      if (third >= taken) ++third;
    enter_group(route, shape, third, first, key);
  }
  arrive(route, shape, target, key);
}

}  // namespace arlab::simulator
