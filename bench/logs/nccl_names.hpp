// The words of nccl-tests and rccl-tests for types, operations and collectives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

/// "half" is float16; nothing for a word that is no type.
std::optional<collectives::DType> nccl_type(std::string_view word);

/// What the column redop holds: "none" is an operation that says nothing.
struct NcclOp {
  std::optional<collectives::Op> op = {};
  bool known = true;  ///< false: an operation that records do not have, such as mulsum
};
/// Nothing for a word that is no operation.
std::optional<NcclOp> nccl_op(std::string_view word);

/// Returns "all_reduce" of "/opt/nccl-tests/build/all_reduce_perf_mpi"; empty if it is no program
/// of theirs.
std::string nccl_program(std::string_view path);

/// Returns the collective of the program "all_reduce"; nothing if records have none such.
std::optional<Collective> nccl_collective(std::string_view program);

/// Returns NCCL's function, such as "ncclAllReduce".
std::string nccl_call(Collective collective);

/// Returns the program of such a function, "all_reduce"; empty if it is none.
std::string_view nccl_program_of_call(std::string_view call);

}  // namespace arlab::bench
