// TF_CONFIG: the environment variable that tells each process of a TensorFlow job who it is.
//
//   {"cluster": {"worker": ["h0:1234", "h1:1234"], "ps": ["h2:1234"]},
//    "task": {"type": "worker", "index": "0"}}
//
// The index comes as a string or an integer. A chief, where there is one, trains as rank 0 before
// the workers; without one, worker 0 is the chief.
// https://www.tensorflow.org/guide/distributed_training
#pragma once

#include <string_view>

#include "training/cluster/cluster.hpp"

namespace arlab::training {

/// Throws Error(usage) that names the value that is wrong. {} is a process on its own.
Cluster parse_tf_config(std::string_view text);

}  // namespace arlab::training
