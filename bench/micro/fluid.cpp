// Max-min sharing: completions of flows a second, each followed by a new flow and by new rates for
// all whom that concerns. items = completions.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "simulator/contention/incremental_maxmin.hpp"

namespace arlab::bench::micro {
namespace {

using Route = std::vector<simulator::IncrementalMaxMin::Link>;

// Hosts of a two-level fat tree; a route is up, perhaps over one of the spines, and down.
struct Tree {
  int hosts, leaves, up;

  std::size_t links() const { return static_cast<std::size_t>(2 * hosts + 2 * leaves * up); }
  Route route(int source, int target) const {
    const int size = hosts / leaves, from = source / size, to = target / size;
    if (from == to) return {source, hosts + target};
    const int spine = target % up;
    return {source, 2 * hosts + from * up + spine, 2 * hosts + (leaves + to) * up + spine,
            hosts + target};
  }
};

// Every host has one flow to a host drawn anew, oversubscribed 4:1; or one to its neighbor, alone.
void complete(benchmark::State& state, bool contended) {
  const Tree tree{.hosts = static_cast<int>(state.range(0)), .leaves = 32, .up = tree.hosts / 128};
  std::mt19937 random(1);
  const auto route_of = [&](int host) {
    if (!contended) return tree.route(host, (host + 1) % tree.hosts);
    for (;;)
      if (const int target = static_cast<int>(random() % static_cast<unsigned>(tree.hosts));
          target != host)
        return tree.route(host, target);
  };
  simulator::IncrementalMaxMin shares(std::vector<double>(tree.links(), 12.5), 0);
  std::vector<simulator::IncrementalMaxMin::Flow> flow_of;
  for (int host = 0; host < tree.hosts; ++host) {
    flow_of.push_back(shares.add(route_of(host)));
    shares.start(flow_of.back());
  }
  benchmark::DoNotOptimize(shares.settle().data());
  for (auto _ : state) {
    const int host = static_cast<int>(random() % static_cast<unsigned>(tree.hosts));
    simulator::IncrementalMaxMin::Flow& flow = flow_of[static_cast<std::size_t>(host)];
    shares.stop(flow);
    benchmark::DoNotOptimize(shares.settle().data());
    flow = shares.add(route_of(host));
    shares.start(flow);
    benchmark::DoNotOptimize(shares.settle().data());
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void register_fluid() {
  for (const bool contended : {false, true})
    benchmark::RegisterBenchmark(contended ? "fluid/contended" : "fluid/uncontended", complete,
                                 contended)
        ->ArgName("hosts")
        ->Arg(256)
        ->Arg(1024);
}

}  // namespace arlab::bench::micro
