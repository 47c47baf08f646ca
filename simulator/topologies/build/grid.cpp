#include "simulator/topologies/build/grid.hpp"

#include <algorithm>
#include <cmath>

namespace arlab::simulator {
namespace {

// Returns `size` as a product of `count` factors between `min` and `max`, the most balanced product
// first; empty if there is none. No factor is less than half the first factor.
std::vector<std::int32_t> factors(std::int64_t size, int count, std::int64_t min,
                                  std::int64_t max) {
  if (count == 1)
    return min <= size && size <= max ? std::vector{static_cast<std::int32_t>(size)}
                                      : std::vector<std::int32_t>{};
  auto side = static_cast<std::int64_t>(std::ceil(std::pow(size, 1. / count) - 1e-9));
  for (; side <= std::min(max, size); ++side) {
    if (size % side != 0) continue;
    auto rest = factors(size / side, count - 1, std::max(min, (side + 1) / 2), side);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), static_cast<std::int32_t>(side));
    return rest;
  }
  return {};
}

}  // namespace

std::vector<std::int32_t> balanced_dimensions(Rank hosts, int dimensions) {
  for (std::int64_t size = hosts;; ++size)
    if (auto found = factors(size, dimensions, 1, size); !found.empty()) return found;
}

std::string to_string(const std::vector<std::int32_t>& dimensions) {
  std::string text;
  for (const std::int32_t size : dimensions)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

Topology make_grid(const std::string& spec, const Grid& grid, double bandwidth, Time latency) {
  double total = 1;
  for (const std::int32_t size : grid.dims) total *= size;
  TopologyBuilder builder(spec, total, 0, 2 * total * static_cast<double>(grid.dims.size()));
  const auto hosts = static_cast<Rank>(total);
  for (Rank h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  NodeId stride = 1;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const std::int32_t size = grid.dims[d];
    const std::string tier =
        grid.dims.size() == 1 ? "neighbor" : "dimension " + std::to_string(d + 1);
    for (Rank h = 0; h < hosts; ++h) {
      const std::int32_t at = h / stride % size;
      const bool last = at == size - 1;
      if (last && (!grid.wrap || size <= 2)) continue;
      builder.add_cable(h, last ? h - at * stride : h + stride, {bandwidth, latency, tier});
    }
    stride *= size;
  }
  builder.hosts_forward();
  builder.structure(grid);
  if (grid.dims.size() > 1 && grid.dims.back() < hosts && grid.dims.front() > 2)
    builder.group_hosts(grid.dims.size() == 2 ? "row" : "plane", hosts / grid.dims.back());
  return std::move(builder).build();
}

namespace {

void fit_grid(Settings& settings, Rank hosts) {
  settings.choose("dims", to_string(balanced_dimensions(hosts, 3)));
}

template <bool wrapped>
Topology make_grid_of(const Settings& settings) {
  return make_grid(settings.spec(), {settings.sizes("dims"), wrapped},
                   settings.bandwidth("bandwidth"), settings.time("latency"));
}

}  // namespace

TopologyKind grid_kind(bool wrapped) {
  using Unit = Parameter::Unit;
  TopologyKind kind;
  kind.parameters = {
      {"dims", Unit::sizes, "4x4x4", "hosts a dimension; host 1 is next to host 0 in the first"},
      {"bandwidth", Unit::bandwidth, "100Gbps", "of a link, each way"},
      {"latency", Unit::time, "500ns", "of a link"}};
  kind.fit = fit_grid;
  kind.make = wrapped ? make_grid_of<true> : make_grid_of<false>;
  return kind;
}

}  // namespace arlab::simulator
