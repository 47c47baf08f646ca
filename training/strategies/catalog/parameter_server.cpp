// parameter_server: workers push gradients to servers, which sum them and update once per step.
#include "training/strategies/parameter_server.hpp"

#include "training/simulation/direct.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind parameter_server() {
  return {
      .name = "parameter_server",
      .summary = "workers push gradients to servers, which sum them and update once per step",
      .source = "Li et al., OSDI 2014",
      .parameters = {kServers},
      .synchronous = true,
      .equal_replicas = true,
      .direct = true,
      .compresses = true,
      .has_servers = true,
      .own_moments = true,
      .make = [](const StrategyContext& context) { return make_parameter_server(context, true); },
      .unsupported_reason = refuse_parameter_server,
      .simulate = simulate_servers,
  };
}

}  // namespace arlab::training::strategy_catalog
