#include "training/cluster/cluster.hpp"

#include "training/cluster/slurm.hpp"
#include "training/cluster/tf_config.hpp"

namespace arlab::training {

std::string_view name(Task task) {
  constexpr std::string_view kNames[] = {"chief", "worker", "ps", "evaluator"};
  return kNames[static_cast<int>(task)];
}

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

Cluster resolve_cluster(const Environment& environment) {
  if (const auto config = environment("TF_CONFIG"); config && !config->empty())
    return parse_tf_config(*config);
  if (environment("SLURM_PROCID") && environment("SLURM_STEP_NODELIST"))
    return parse_slurm(environment);
  return {};
}

}  // namespace arlab::training
