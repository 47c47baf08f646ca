#include "training/strategies/parameter_server.hpp"

#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {

std::unique_ptr<Strategy> make_parameter_server(const StrategyContext& station, bool synchronous) {
  return station.serves() ? make_push_server(station, synchronous) : make_push_worker(station);
}

std::string refuse_parameter_server(const StrategyContext& station) {
  if (station.options.servers >= 1 && station.workers >= 1)
    return PushCodes::unsupported_reason(station.options.gradients);
  return std::to_string(station.options.servers) + " parameter servers and " +
         std::to_string(station.workers) + " workers: there must be at least 1 of each";
}

}  // namespace arlab::training
