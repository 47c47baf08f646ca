// TF_CONFIG: the environment variable that defines the job and the task of each TensorFlow process.
//
//   {"cluster": {"worker": ["h0:1234", "h1:1234"], "ps": ["h2:1234"]},
//    "task": {"type": "worker", "index": "0"}}
//
// The index is a string or an integer. If there is a chief, it trains as rank 0 before the workers;
// otherwise worker 0 is the chief.
// https://www.tensorflow.org/guide/distributed_training
#pragma once

#include <string_view>

#include "training/cluster/cluster.hpp"

namespace arlab::training {

/// Throws Error(usage) naming the invalid value. {} is a single process.
Cluster parse_tf_config(std::string_view text);

}  // namespace arlab::training
