#include "bench/training/profiled/scale_network.hpp"

#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/text/units.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {

ScaleNetwork::ScaleNetwork(std::string spec, std::uint64_t seed) : spec_(std::move(spec)) {
  if (is_port_rate(spec_)) {
    const PortSpec port = parse_port(spec_);
    bandwidth_ = port.bytes_per_second;
    latency_ = latency_of(port);
    return;
  }
  use_networks(model_, {spec_});
  model_.check_machine();
  if (model_.topologies.empty()) return;
  model_.usual.seed = seed;
}

training::MakeNetwork ScaleNetwork::on(training::TrainingPlan& plan, Rank ranks, Rank group,
                                       const simulator::Machine* refit) const {
  plan.ranks = ranks;
  plan.groups = nullptr;
  plan.grid = nullptr;
  if (group > 0) plan.groups = std::make_shared<const Groups>(Groups::consecutive(ranks, group));
  if (has_ports())
    return [this, ranks] {
      return simulator::make_network(
          simulator::find_model("alpha_beta"),
          {{"alpha", picoseconds(latency_)}, {"beta", kPicosecondsPerSecond / bandwidth_}}, ranks);
    };
  if (const auto fabric = model_.fabric(0, ranks)) {
    if (group == 0) plan.groups = simulator::groups_of(*fabric);
    plan.grid = simulator::grid_of(*fabric);
  }
  return [this, ranks, refit] { return model_.make(0, ranks, 0, refit); };
}

}  // namespace arlab::bench
