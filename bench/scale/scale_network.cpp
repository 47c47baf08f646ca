#include "bench/scale/scale_network.hpp"

#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "bench/cli/units.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/import/file.hpp"

namespace arlab::bench {

ScaleNetwork::ScaleNetwork(std::string spec, Time latency, std::uint64_t seed)
    : spec_(std::move(spec)), latency_(latency) {
  if (spec_.ends_with(".toml")) {
    model_.machine_path = spec_;
    model_.check_machine();
  } else if (spec_.find_first_of("0123456789+-.") == 0 && !simulator::is_topology_file(spec_)) {
    bandwidth_ = parse_port_rate(spec_, "network");
  } else {
    model_.model = "fluid";
    model_.topologies = {spec_};
    model_.network.seed = seed;
  }
}

training::MakeNetwork ScaleNetwork::on(training::TrainingPlan& plan, Rank ranks, Rank group) const {
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
  return [this, ranks] { return model_.make(0, ranks); };
}

}  // namespace arlab::bench
