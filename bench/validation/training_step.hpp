// training_step: the time of a training step under a published method, on nodes of 4 GPUs and a
// network.
#pragma once

#include <string>

#include "training/profiles/model_profile.hpp"

namespace arlab::bench {

/// Where gradients travel: rings through nodes, whose slowest connection determines the pace; or an
/// allreduce of all GPUs whose time was measured.
struct TrainingNetwork {
  double node_gb_per_s = 1, network_gb_per_s = 1;  ///< of a ring, inside a node and between nodes
  Rank per_node = 4;
  double startup_us = 0, ns_per_byte = 0;  ///< of the allreduce; ns_per_byte is 0 if it is a ring
};

struct TrainingMethod {
  std::string scheduler;          ///< empty: unknown
  bool after_backward = false;    ///< one message of all gradients after the backward pass
  bool to_servers = false;        ///< pushes to servers and pulls, without a ring
  bool whole_tensors = false;     ///< a message per tensor, one at a time
  bool slices = false;            ///< cuts tensors into pieces of 200 kB
  bool overlaps_startup = false;  ///< the next message starts before the last one has ended
  double cycle_ms = 0;            ///< least time between the starts of two messages
};

/// Reads "WFBP-A2A", "MG-WFBP", "ByteScheduler-PS" and so on.
TrainingMethod parse_training_method(const std::string& name);

/// Returns the profile's layers with passes scaled so that a step takes `us`, of which the first
/// forward pass waits `extra_us`.
training::Profile layers_taking(const training::ModelProfile& profile, double us, double extra_us);

/// Returns picoseconds per step. The layers include everything that a single GPU does.
double training_step(const training::Profile& layers, const TrainingMethod& method,
                     const TrainingNetwork& network, Rank gpus);

}  // namespace arlab::bench
