// What NCCL's search finds on machines of all GPUs: no graph carries more than the links do.
#include "simulator/nccl/graphs.hpp"

#include <algorithm>

#include "simulator/nccl/tuning.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator::nccl;

namespace {

Machine machine(std::string_view gpu, Rank nodes, Rank gpus, double nic = 50,
                std::string_view version = "2.28.9") {
  return {.gpu = find_gpu(gpu),
          .version = parse_version(version),
          .nodes = nodes,
          .ranks_per_node = gpus,
          .nic = nic};
}

double bus_rate(const Graph& ring) { return ring.channels * ring.inside; }

// GB/s of an algorithm's allreduce with pieces, as a rate of the vector.
double rate_of(const Machine& m, Algorithm algorithm) {
  for (const Estimate& e : tune(m, Collective::allreduce).estimates)
    if (e.algorithm == algorithm && e.protocol == Protocol::simple) return e.bandwidth;
  return 0;
}

// GB/s per direction by the data sheets. A GPU of a ring over g GPUs sends by its NVLinks all but
// what leaves the node from it; without NVLink it sends all through PCIe.
double most_of_ring(const Machine& m) {
  const double g = static_cast<double>(m.ranks_per_node);
  const double nics = m.nics > 0 ? m.nics : g;
  const double links = m.gpu.links * (m.gpu.generation < Generation::blackwell ? 25.0 : 50.0);
  const double out = std::min(m.nic * nics, m.gpu.pcie * std::min(nics, g));
  if (m.nodes == 1) return links > 0 ? links : m.gpu.pcie;
  if (m.ranks_per_node == 1) return out;
  return std::min(out, links > 0 ? links * g / (g - 1) : m.gpu.pcie);
}

}  // namespace

TEST_CASE("nccl: no ring carries more than the links of its GPUs and NICs") {
  constexpr double kRounding = 1e-9;
  for (const Gpu& gpu : gpus())
    for (const char* version : {"2.8.4", "2.18.5", "2.23", "2.27.7", "2.28.9", "2.29.7", "2.30.7"})
      for (const Rank nodes : {1, 2, 8})
        for (const Rank in_node : {1, 2, 4, 8, 36, 72})
          for (const double nic : {2.5, 12.5, 25.0, 50.0, 100.0})
            for (const int nics : {0, 1, 4, 32}) {
              Machine m = machine(gpu.name, nodes, in_node, nic, version);
              m.nics = nics;
              if (m.ranks() < 2) continue;
              INFO(gpu.name << ' ' << version << ", " << nodes << " x " << in_node << ", " << nics
                            << " NICs of " << nic);
              const Graphs graphs = graphs_of(m);
              REQUIRE(bus_rate(graphs.ring) <= most_of_ring(m) + kRounding);
              REQUIRE(graphs.nvls.channels <= 32);
            }
}

TEST_CASE("nccl: rings between nodes by the GPUs' own links") {
  // PCIe 4.0 of an A100 carries 24 GB/s to a NIC of 50, PCIe 3.0 of a V100 12.
  CHECK(bus_rate(graphs_of(machine("a100", 2, 8)).ring) == 8 * 24);
  CHECK(bus_rate(graphs_of(machine("v100", 2, 8)).ring) == 8 * 12);
  // Without NVLink, PCIe carries what comes from a NIC and what goes to the next GPU: one channel.
  CHECK(rate_of(machine("l40s", 2, 8), Algorithm::ring) == Approx(24 * 16 / 30.0));
  CHECK(rate_of(machine("a40", 2, 8), Algorithm::ring) == Approx(24 * 16 / 30.0));
  for (const char* gpu : {"h100_pcie", "rtx_pro_6000"}) {
    CHECK(rate_of(machine(gpu, 2, 8), Algorithm::ring) == Approx(48 * 16 / 30.0));
    CHECK(graphs_of(machine(gpu, 2, 8)).ring.channels == 2);  // one of 48, doubled
    CHECK(bus_rate(graphs_of(machine(gpu, 1, 8)).ring) == 48);
  }
  // 36 GPUs have more NICs than NVLinks carry: 16 channels of 45.1 of at most 721.8 GB/s.
  const Graph rack = graphs_of(machine("gb200", 2, 36)).ring;
  CHECK(rack.channels == 16);
  CHECK(rack.inside == Approx(45.1));
  // A NIC of 100 GB/s has two channels of 48, before 2.27.7 tried 96 and then doubled.
  for (const char* version : {"2.26", "2.27.7", "2.30.7"})
    CHECK(bus_rate(graphs_of(machine("b300", 2, 8, 100, version)).ring) == 16 * 48);
}

// By src/device of 2.30: 8 heads of 80 x .74 x 7/8 x 2 = 103.6, at most 96; times 16/30.
TEST_CASE("nccl: NVLS of Blackwell by version, and of a rack with 32 heads") {
  const auto tree = [](std::string_view version) {
    return rate_of(machine("b300", 2, 8, 100, version), Algorithm::nvlstree);
  };
  CHECK(tree("2.28.9") == Approx(265.2).margin(.05));
  CHECK(tree("2.30.7") == Approx(409.6));
  CHECK(graphs_of(machine("b300", 2, 8, 100, "2.29.7")).nvls.inside == 80);
  CHECK(graphs_of(machine("b300", 2, 8, 100, "2.29.2")).nvls.inside == 48);
  // 32 channels of 20 x .74 x 31/32 x 2, times 72/142.
  CHECK(rate_of(machine("gb200", 1, 72), Algorithm::nvls) == Approx(465.3).margin(.05));
  Machine few = machine("h100", 2, 8);
  few.nics = 4;
  CHECK(graphs_of(few).nvls.channels == 4);  // heads are next to NICs
}

TEST_CASE("nccl: usual nodes of a GPU") {
  CHECK(find_gpu("gb200").in_node == 4);
  CHECK(find_gpu("gh200").in_node == 1);
  CHECK(find_gpu("b200").in_node == 8);
  for (const Gpu& gpu : gpus()) CHECK((gpu.cpu == Cpu::arm) == gpu.name.starts_with("g"));
}
