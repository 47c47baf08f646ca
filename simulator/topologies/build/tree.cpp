#include "simulator/topologies/build/tree.hpp"

#include "algorithms/base/error.hpp"

namespace arlab::simulator {

TreeShape::TreeShape(const Tree& tree, const std::string& spec) : tree_(tree) {
  const std::size_t levels = tree.down.size();
  if (levels == 0 || tree.up.size() != levels || tree.count.size() != levels)
    fail(Blame::usage, spec + ": down, up and count must have one number per level, such as " +
                           "down=16x16,up=1x4,count=1x1");
  ups_.assign(levels + 1, 1);
  downs_.assign(levels + 1, 1);
  const auto times = [&](Count product, std::int32_t factor) {
    if (product > (Count{1} << 31)) fail(Blame::usage, spec + " is too large: make it smaller");
    return product * factor;
  };
  for (std::size_t l = 0; l < levels; ++l) {
    ups_[l + 1] = times(ups_[l], tree.up[l]);
    downs_[l + 1] = times(downs_[l], tree.down[l]);
  }
  Count next = 0;
  for (std::size_t l = 0; l <= levels; ++l) {
    Count width = ups_[l];
    for (std::size_t i = l; i < levels; ++i) width = times(width, tree.down[i]);
    width_.push_back(width);
    first_.push_back(next);
    next += width;
  }
}

double TreeShape::links() const {
  double links = 0;
  for (std::size_t l = 0; l < tree_.down.size(); ++l)
    links += 2. * static_cast<double>(width_[l]) * tree_.up[l] * tree_.count[l];
  return links;
}

Count TreeShape::parent(int level, Count position, std::int32_t which) const {
  const Count low = ups_[index(level)];
  const Count high = position / (low * tree_.down[index(level)]);
  return position % low + low * (which + tree_.up[index(level)] * high);
}

Count TreeShape::child(int level, Count position, std::int32_t which) const {
  const Count low = ups_[index(level - 1)];
  const Count high = position / (low * tree_.up[index(level - 1)]);
  return position % low + low * (which + tree_.down[index(level - 1)] * high);
}

std::int32_t TreeShape::branch(int level, Rank host) const {
  return static_cast<std::int32_t>(host / downs_[index(level - 1)] % tree_.down[index(level - 1)]);
}

bool TreeShape::below(int level, Count position, Rank host) const {
  return position / ups_[index(level)] == host / downs_[index(level)];
}

Topology make_tree(const std::string& spec, const Tree& tree, const std::vector<TreeLevel>& levels,
                   bool adding) {
  const TreeShape shape(tree, spec);
  double switches = 0;
  for (int l = 1; l <= shape.levels(); ++l) switches += static_cast<double>(shape.width(l));
  TopologyBuilder builder(spec, static_cast<double>(shape.width(0)), switches, shape.links());
  for (Count h = 0; h < shape.width(0); ++h) builder.add_host("h" + std::to_string(h));
  for (int l = 1; l <= shape.levels(); ++l)
    for (Count s = 0; s < shape.width(l); ++s)
      builder.add_switch(levels[static_cast<std::size_t>(l - 1)].switches + std::to_string(s), l);
  for (int l = 0; l < shape.levels(); ++l) {
    const TreeLevel& level = levels[static_cast<std::size_t>(l)];
    const auto up = tree.up[static_cast<std::size_t>(l)];
    const auto cables = tree.count[static_cast<std::size_t>(l)];
    for (Count n = 0; n < shape.width(l); ++n)
      for (std::int32_t p = 0; p < up; ++p)
        for (std::int32_t c = 0; c < cables; ++c)
          builder.add_cable(shape.node(l, n), shape.node(l + 1, shape.parent(l, n, p)), level.wire);
  }
  for (int l = 1; adding && l <= shape.levels(); ++l)
    for (Count s = 0; s < shape.width(l); ++s) builder.make_adding(shape.node(l, s), {});
  builder.structure(tree);
  if (tree.up[0] == 1 && shape.levels() > 1) builder.group_hosts("leaf", tree.down[0]);
  return std::move(builder).build();
}

}  // namespace arlab::simulator
