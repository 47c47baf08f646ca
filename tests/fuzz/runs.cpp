// Fuzzes everything together: a random problem, algorithm, network and backend. The cost must be as
// claimed, counted, simulated and executed alike, and every element must be right.
#include <algorithm>
#include <vector>

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "collectives/threads/threads.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/on_devices.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace {

using namespace arlab;
using namespace arlab::collectives;
using fuzz::demand;

constexpr std::string_view kNetworks[] = {"crossbar",  "ring",      "torus",    "mesh",
                                          "fat_tree",  "dragonfly", "rail_pod", "hypercube",
                                          "full_mesh", "leaf_spine"};

struct Case {
  const Algorithm* algorithm;
  Problem problem;
  int segments;
  Operand operand;
  std::string network;
  const simulator::Model* model;

  std::unique_ptr<simulator::Network> make_network() const {
    return simulator::make_network(
        *model, {}, problem.ranks,
        model->has_links ? simulator::FabricSpec{.topology = network} : simulator::FabricSpec{});
  }
};

void on_communicators(const Case& c, const char* what,
                      const std::function<void(const std::function<void(Communicator&)>&)>& start) {
  start([&](Communicator& communicator) {
    const auto verdict =
        conformance::run(communicator, *c.algorithm, c.problem, c.operand, c.segments);
    demand(verdict == conformance::Verdict{}, std::string("wrong on ") + what);
  });
}

void check(const Case& c, int backend) {
  const Cost claimed = predicted_cost(*c.algorithm, c.problem, c.segments);
  const Counts counted = count(*c.algorithm, c.problem, c.segments);
  demand(counted.all == claimed, "counted is not what is claimed");
  for (Rank r = 0; r < c.problem.ranks; ++r)
    demand(counted.rank[static_cast<std::size_t>(r)] ==
               predicted_rank_cost(*c.algorithm, c.problem, r, c.segments),
           "counted on one rank is not what is claimed");
  demand(static_cast<bool>(verify(*c.algorithm, c.problem, c.segments)), "not proved");

  const auto bytes = static_cast<Bytes>(size_of(c.operand.dtype));
  const auto network = c.make_network();
  const auto simulated =
      simulator::simulate(*c.algorithm, c.problem, bytes, *network, {.segments = c.segments});
  demand(simulated.sent == claimed, "simulated is not what is claimed");
  demand(
      simulated.finish == *std::max_element(simulated.finish_of.begin(), simulated.finish_of.end()),
      "the end is not that of the last rank");
  demand((simulated.finish > Time{}) == (claimed.messages > 0), "messages without time");

  if (backend == 0)
    return on_communicators(c, "threads", [&](auto body) { on_threads(c.problem.ranks, body); });
  if (backend == 1)
    return on_communicators(c, "emulated ranks", [&](auto body) {
      const auto fresh = c.make_network();
      training::on_emulated_ranks(*fresh, c.problem.ranks, body);
    });
  Devices devices = host_devices({.count = 2, .peers = backend == 2, .disorder = 7});
  ColocatedExecutor on(devices, c.problem.ranks, 3);
  demand(conformance::run(on, *c.algorithm, c.problem, c.operand, c.segments, backend == 2) ==
             conformance::Verdict{},
         "wrong on devices");
}

}  // namespace

void arlab::fuzz::runs(std::string_view input) {
  Bytes bytes(input);
  Case c{.algorithm = &algorithms()[static_cast<std::size_t>(
             bytes.below(static_cast<int>(algorithms().size())))],
         .problem = {.collective = kCollectives[bytes.below(5)], .ranks = 1 + bytes.below(9)},
         .segments = 1 + bytes.below(4),
         .operand = {kDTypes[bytes.below(std::size(kDTypes))], kOps[bytes.below(std::size(kOps))]},
         .network = std::string(kNetworks[bytes.below(std::size(kNetworks))]),
         .model = &simulator::models()[static_cast<std::size_t>(
             bytes.below(static_cast<int>(simulator::models().size())))]};
  c.problem.elements = bytes.below(200);
  c.problem.root = bytes.below(c.problem.ranks);
  const std::vector<Problem> stated = stated_for(*c.algorithm, c.problem);
  c.problem = stated[static_cast<std::size_t>(bytes.below(static_cast<int>(stated.size())))];
  if (c.problem.collective == Collective::reduce_scatter ||
      c.problem.collective == Collective::all_gather)
    c.segments = 1;
  if (unsupported(*c.algorithm, c.problem).empty()) check(c, bytes.below(4));
}
