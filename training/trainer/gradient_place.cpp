#include "training/trainer/gradient_place.hpp"

namespace arlab::training {

std::string why_on_host(const TrainerOptions& learning) {
  if (!find_strategy(learning.strategy).on_device)
    return "strategy " + learning.strategy + " works there";
  if (const auto& codes = learning.options.gradients.compressor; codes && !codes->kind->on_gpu)
    return "the codes of " + std::string(codes->kind->name) + " are made there";
  collectives::Executor* const executor = learning.route_options.executor;
  if (!executor || !executor->device()) return "the backend adds there";
  return "";
}

}  // namespace arlab::training
