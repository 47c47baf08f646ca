// async_parameter_server: servers update at each gradient; workers do not wait for each other.
#include "training/simulation/direct.hpp"
#include "training/strategies/parameter_server.hpp"

namespace arlab::training::strategy_catalog {

StrategyKind async_parameter_server() {
  return {
      .name = "async_parameter_server",
      .summary = "servers update at each gradient; workers do not wait for each other",
      .source = "Li et al., OSDI 2014",
      .parameters = {kServers},
      .synchronous = false,
      .equal_replicas = false,
      .direct = true,
      .staggers = true,
      .compresses = true,
      .has_servers = true,
      .each_push = true,
      .own_moments = true,
      .make = [](const StrategyContext& context) { return make_parameter_server(context, false); },
      .unsupported_reason = refuse_parameter_server,
      .simulate = simulate_servers,
  };
}

}  // namespace arlab::training::strategy_catalog
