#include "training/strategies/parameter_server.hpp"

#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {

std::unique_ptr<Strategy> make_parameter_server(const StrategyContext& context, bool synchronous) {
  return context.serves() ? make_push_server(context, synchronous) : make_push_worker(context);
}

std::string refuse_parameter_server(const StrategyContext& context) {
  const Rank servers = context.ranks - context.workers;
  if (servers >= 1 && context.workers >= 1)
    return PushCodes::unsupported_reason(context.options.gradients);
  return std::to_string(servers) + " parameter servers and " + std::to_string(context.workers) +
         " workers: use at least 1 of each";
}

}  // namespace arlab::training
