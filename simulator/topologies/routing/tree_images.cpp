// Images of routes on a fat tree: permutations of the numbers that D-mod-k reads.
//
// On its way up, a route's links depend on the block of the source at their level and on the target
// modulo the number of ways up; on its way down on the block of the target, on the same remainder,
// and on the source modulo the number of parallel cables (walk_d_mod_k). It turns where the blocks
// are the same. A permutation of the hosts that also permutes the blocks and these remainders maps
// links onto links, and routes onto routes.
#include <utility>

#include "simulator/topologies/build/tree.hpp"
#include "simulator/topologies/routing/route_images.hpp"

namespace arlab::simulator {
namespace {

constexpr Count kNone = -1;

// Of each value of a number of hosts: its image; kNone if no used host has it.
using Values = std::vector<Count>;

// Returns the images of a number's values; nothing if hosts with one value have images with
// several. Then different values have different images, since as many have one as are one.
template <class Number>
std::optional<Values> permuted(std::span<const Rank> image, Count values, Number number) {
  Values to(static_cast<std::size_t>(values), kNone);
  for (std::size_t host = 0; host < image.size(); ++host) {
    if (image[host] == RouteImages::kUnused) continue;
    Count& known = to[static_cast<std::size_t>(number(static_cast<Rank>(host)))];
    const Count other = number(image[host]);
    if (known == kNone) known = other;
    if (known != other) return {};
  }
  return to;
}

std::optional<Values> blocks(std::span<const Rank> image, Count size) {
  const auto hosts = static_cast<Count>(image.size());
  return permuted(image, hosts / size, [=](Rank host) { return host / size; });
}

std::optional<Values> remainders(std::span<const Rank> image, Count modulus) {
  return permuted(image, modulus, [=](Rank host) { return host % modulus; });
}

// Calls f(value, image) for all values that a used host has. Returns whether all returned true.
template <class F>
bool for_all(const Values& values, F f) {
  for (std::size_t v = 0; v < values.size(); ++v)
    if (values[v] != kNone && !f(static_cast<Count>(v), values[v])) return false;
  return true;
}

// The links between a level and the one above it.
class Level {
 public:
  Level(const TreeShape& shape, const LinkIndex& links, int level) : shape_(shape), links_(links) {
    const Tree& tree = shape.tree();
    level_ = level;
    for (int l = 0; l < level; ++l) {
      ways_ *= tree.up[index(l)];
      hosts_ *= tree.down[index(l)];
    }
    parents_ = tree.up[index(level)];
    cables_ = tree.count[index(level)];
  }

  Count ways() const { return ways_; }        // up to a node of this level
  Count parents() const { return parents_; }  // of a node
  Count cables() const { return cables_; }    // to each of them
  Count hosts() const { return hosts_; }      // below a node

  // The link up from the block's node on the target's way, which its remainder names.
  LinkId up(Count block, Count remainder) const {
    const Count port = remainder / ways_ % (parents_ * cables_);
    return link(block, remainder, port, true);
  }
  // The link down to the block's node.
  LinkId down(Count block, Count remainder, Count source) const {
    return link(block, remainder, remainder / ways_ % parents_ + parents_ * source, false);
  }

 private:
  LinkId link(Count block, Count remainder, Count port, bool up) const {
    const Count position = remainder % ways_ + ways_ * block;
    const auto which = static_cast<std::int32_t>(port % parents_);
    const NodeId low = shape_.node(level_, position);
    const NodeId high = shape_.node(level_ + 1, shape_.parent(level_, position, which));
    const auto cables = up ? links_.between(low, high) : links_.between(high, low);
    expects(!cables.empty(), "neighbors of a structured topology are linked");
    return cables[static_cast<std::size_t>(port / parents_) % cables.size()];
  }

  const TreeShape& shape_;
  const LinkIndex& links_;
  int level_ = 0;
  Count ways_ = 1, hosts_ = 1, parents_ = 1, cables_ = 1;
};

bool set_level(const Level& level, std::span<const Rank> image, LinkImages& images) {
  const auto block = blocks(image, level.hosts());
  const auto way = remainders(image, level.ways() * level.parents());
  const auto port = remainders(image, level.ways() * level.parents() * level.cables());
  const auto cable = remainders(image, level.cables());
  if (!block || !way || !port || !cable) return false;
  return for_all(*block, [&](Count b, Count to_b) {
    return for_all(*port,
                   [&](Count p, Count to_p) {
                     return images.set(level.up(b, p), level.up(to_b, to_p));
                   }) &&
           for_all(*way, [&](Count w, Count to_w) {
             return for_all(*cable, [&](Count c, Count to_c) {
               return images.set(level.down(b, w, c), level.down(to_b, to_w, to_c));
             });
           });
  });
}

}  // namespace

std::optional<std::vector<LinkId>> RouteImages::on_tree(const Tree& tree,
                                                        std::span<const Rank> image) const {
  const TreeShape shape(tree, topology_.spec());
  LinkImages images(kinds_);
  for (int l = 0; l < shape.levels(); ++l)
    if (!set_level(Level(shape, links_, l), image, images)) return {};
  return std::move(images).take();
}

}  // namespace arlab::simulator
