// Whether this program has protobuf, which TensorBoard's files and Chakra's traces need.
#pragma once

#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {

bool has_protobuf();

/// Throws Error(environment) that says how to get it, after `where` ("--tensorboard logs: "), in
/// builds without protobuf.
inline void require_protobuf(const std::string& where) {
  if (!has_protobuf())
    fail(Blame::environment,
         where +
             "this arlab was built without protobuf: apt install libprotobuf-dev "
             "protobuf-compiler, and rebuild with -DARLAB_PROTOBUF=ON");
}

}  // namespace arlab::training
