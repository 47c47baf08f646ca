// --network nccl:gpu=h100,nodes=8: a machine as NCCL's own cost model describes it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/base/parameters.hpp"
#include "bench/config/config.hpp"
#include "bench/options/model_options.hpp"
#include "collectives/reduce/dtype.hpp"
#include "simulator/nccl/support.hpp"

namespace arlab::bench {

inline constexpr std::string_view kNcclNetwork = "nccl";

/// The settings of the network, with defaults.
std::span<const Parameter> nccl_parameters_of_network();

/// Returns the machine of settings by name, as written; the processor and the GPUs of a node are
/// those usual for the GPU, unless they are given. Throws Error(usage) that names the setting,
/// its value, and what is allowed.
simulator::nccl::Machine nccl_machine(const std::map<std::string, std::string>& settings);

/// Returns all settings of a machine, as nccl_machine() reads them.
std::string nccl_text(const simulator::nccl::Machine& machine);

/// Returns what of NCCL computes this type and operation.
simulator::nccl::Support nccl_support(const simulator::nccl::Machine& machine,
                                      Collective collective, collectives::Operand operand);

/// Returns why NVSwitches of the network cannot compute what the algorithm asks of them: a product,
/// an average, numbers of 8 bits. Empty if they can, or if it asks other switches or none.
std::string nvswitch_refusal(const ModelOptions& model, const Config& config);

}  // namespace arlab::bench
