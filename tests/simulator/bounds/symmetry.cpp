#include "simulator/bounds/symmetry.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Symmetry of(const Topology& topology) {
  const CapacityGraph graph = capacity_graph(topology);
  const Symmetry found = find_symmetry(graph);
  CHECK(std::accumulate(found.class_sizes.begin(), found.class_sizes.end(), 0) == topology.hosts());
  return found;
}

}  // namespace

TEST_CASE("the hosts of regular networks are one class") {
  for (const char* spec : {"ring:hosts=7", "torus:dims=4x6", "torus:dims=2x3x4", "hypercube:d=4",
                           "crossbar:hosts=9", "fat_tree:k=4", "fat_tree:k=6", "full_mesh:hosts=6",
                           "leaf_spine:leaves=3,hosts=4", "rail_pod:nodes=4,gpus=4"}) {
    INFO(spec);
    CHECK(of(make_topology(spec)).representatives.size() == 1);
  }
}

TEST_CASE("hosts that differ are in different classes") {
  // Corners, edges and the middle of a mesh.
  CHECK(of(make_topology("mesh:dims=3x3")).representatives.size() == 3);
  // A slow cable of a ring of 6: hosts by their distance to it.
  const Topology ring =
      with_faults(make_topology("ring:hosts=6"),
                  std::vector{parse_fault("slow=h0-h1:2"), parse_fault("slow=h1-h0:2")});
  CHECK(of(ring).representatives.size() == 3);
}

TEST_CASE("symmetries keep every link") {
  const Topology topology = make_topology("torus:dims=3x4");
  const CapacityGraph graph = capacity_graph(topology);
  for (const auto& image : find_symmetry(graph).generators)
    for (const CapacityArc& arc : graph.arcs) {
      const auto same = [&](const CapacityArc& other) {
        return other.from == image[std::size_t(arc.from)] &&
               other.to == image[std::size_t(arc.to)] && other.capacity == arc.capacity &&
               other.latency == arc.latency;
      };
      CHECK(std::any_of(graph.arcs.begin(), graph.arcs.end(), same));
    }
}

TEST_CASE("capacities are whole multiples of a unit") {
  const CapacityGraph thirds =
      capacity_graph(make_topology("leaf_spine:leaves=2,hosts=4,spines=3"));
  std::set<std::int64_t> capacities;
  for (const CapacityArc& arc : thirds.arcs) capacities.insert(arc.capacity);
  CHECK(capacities == std::set<std::int64_t>{3, 4});
  CHECK(thirds.unit == Approx(12.5e9 / 3));
}
