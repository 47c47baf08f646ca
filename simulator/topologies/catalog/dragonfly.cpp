// Dragonfly: fully connected groups of routers, and global cables between all groups.
//
// p hosts per router, a routers per group, h global cables per router; at most a h + 1 groups.
// Balanced when a = 2 p = 2 h. Kim, Dally, Scott, Abts, Technology-driven, highly-scalable
// dragonfly topology, ISCA 2008.
#include "simulator/topologies/build/dragonfly.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator::topology_catalog {
namespace {

// Balanced, as far as sizes are left out; beside one that is given at least the usual ones.
void fit(Settings& settings, Rank hosts) {
  constexpr std::int32_t kUsual = 2, kMost = 1 << 11;
  const auto size = [&](std::string_view name, std::int32_t chosen) {
    return settings.given(name) ? settings.count(name) : chosen;
  };
  const auto is_enough = [&](std::int32_t h) {
    const double a = size("a", 2 * h), most = a * size("h", h) + 1;
    const double groups = settings.given("groups") ? settings.count("groups") : most;
    return groups <= most && a * size("p", h) * groups >= hosts;
  };
  const bool any = settings.given("a") || settings.given("p") || settings.given("h");
  const std::int32_t least = any ? kUsual : 1;
  std::int32_t h = least;
  while (h < kMost && !is_enough(h)) ++h;
  if (!is_enough(h)) h = least;  // no choice holds them
  settings.choose("a", 2 * h);
  settings.choose("p", h);
  settings.choose("h", h);
  const Count per_group = Count{settings.count("a")} * settings.count("p");
  const Count max = Count{settings.count("a")} * settings.count("h") + 1;
  settings.choose("groups", std::min((hosts + per_group - 1) / per_group, max));
}

Dragonfly make_shape(const Settings& settings) {
  const std::int32_t a = settings.count("a"), p = settings.count("p"), h = settings.count("h");
  const Count max = Count{a} * h + 1;
  const Count groups = settings.given("groups") ? settings.count("groups") : max;
  if (groups > max)
    fail(Blame::usage, settings.spec() + ": " + std::to_string(groups) + " groups, but a h + 1 = " +
                           std::to_string(max) + " is the most that can be joined");
  if (groups > 1 << 22) fail(Blame::usage, settings.spec() + " is too large: make it smaller");
  return {static_cast<std::int32_t>(groups), a, p, h};
}

Topology make(const Settings& settings) {
  const Dragonfly d = make_shape(settings);
  const double routers = 1. * d.groups * d.routers;
  TopologyBuilder builder(settings.spec(), routers * d.hosts, routers,
                          routers * (2. * d.hosts + d.routers - 1 + d.globals));
  const DragonflyShape shape(d);
  for (Rank h = 0; h < shape.hosts(); ++h) builder.add_host("h" + std::to_string(h));
  for (std::int32_t g = 0; g < d.groups; ++g)
    for (std::int32_t r = 0; r < d.routers; ++r)
      builder.add_switch("g" + std::to_string(g) + "r" + std::to_string(r), 1);

  const Time latency = settings.time("latency");
  const Wire host{settings.bandwidth("bandwidth"), latency, "host"};
  const Wire local{settings.bandwidth("bandwidth"), latency, "local"};
  const Wire global{settings.bandwidth("global_bandwidth"), settings.time("global_latency"),
                    "global"};
  for (Rank h = 0; h < shape.hosts(); ++h) builder.add_cable(h, shape.router_of(h), host);
  for (std::int32_t g = 0; g < d.groups; ++g)
    for (std::int32_t r = 0; r < d.routers; ++r)
      for (std::int32_t s = r + 1; s < d.routers; ++s)
        builder.add_cable(shape.router(g, r), shape.router(g, s), local);
  for (std::int32_t i = 0; i < d.groups; ++i)
    for (std::int32_t j = i + 1; j < d.groups; ++j)
      for (std::int32_t c = 0; c < shape.cables(); ++c)
        builder.add_cable(shape.cable(i, j, c).out, shape.cable(i, j, c).in, global);
  builder.structure(d);
  builder.group_hosts("group", d.routers * d.hosts);
  return std::move(builder).build();
}

}  // namespace

TopologyKind dragonfly() {
  using Unit = Parameter::Unit;
  return {
      .name = "dragonfly",
      .summary = "groups of routers, all joined within a group, and the groups all joined",
      .source = "Kim, Dally, Scott, Abts 2008",
      .parameters = {{"a", Unit::count, "4", "routers per group"},
                     {"p", Unit::count, "2", "hosts per router"},
                     {"h", Unit::count, "2", "global cables per router"},
                     {"groups", Unit::count, "9", "groups, at most a h + 1 (the default)"},
                     {"bandwidth", Unit::bandwidth, "100Gbps", "of hosts and local links"},
                     {"global_bandwidth", Unit::bandwidth, "100Gbps", "of global links"},
                     {"latency", Unit::time, "500ns", "of hosts' and local links"},
                     {"global_latency", Unit::time, "1us", "of global links"}},
      .fit = fit,
      .make = make,
  };
}

}  // namespace arlab::simulator::topology_catalog
