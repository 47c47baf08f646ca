// Profiles from Chakra's execution traces (MLCommons) of data-parallel training, as ASTRA-sim runs
// them.
//
// The dependencies alone say what a node is. The first step counts: the nodes that depend on no
// allreduce. Each allreduce is a gradient (of a bucket, in traces of PyTorch), complete at the end
// of the computation before it; gradients are of the layers from last to first. What the first of
// them depends on is the forward pass, all other computation up to the last gradient the backward
// pass, and the rest the optimizer.
#pragma once

#include <span>
#include <string>

#include "training/profiles/chakra_nodes.hpp"
#include "training/profiles/model_profile.hpp"

namespace arlab::training {

/// Throws Error(usage) that names `file`, the node, and the remedy: for point-to-point messages and
/// collectives other than allreduce, broadcast, and barrier (another parallelism), a cyclic
/// dependency, a collective without a size, and a trace without gradients.
ModelProfile import_chakra_trace(std::span<const ChakraNode> nodes, const std::string& file);

}  // namespace arlab::training
