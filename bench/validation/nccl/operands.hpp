// Operands: types and operations, by the words of nccl-tests and of records, as NCCL's model asks.
#pragma once

#include <string_view>

#include "simulator/nccl/support.hpp"

namespace arlab::bench {

/// Returns the kind of number of "half" and of "float16"; float32 for what is not known.
simulator::nccl::Number number_named(std::string_view dtype);

/// Returns the reduction of "sum", "prod", "min", "max" or "avg"; a sum for what is not known.
simulator::nccl::Reduction reduction_named(std::string_view op);

}  // namespace arlab::bench
