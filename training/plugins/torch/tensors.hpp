// PyTorch's tensors in the terms of the collectives.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Throws Error(usage) for types that cannot be reduced.
collectives::DType dtype_of(const at::Tensor& tensor);
/// Throws Error(usage) for the operations on bits.
collectives::Op op_of(const c10d::ReduceOp& op);

/// Returns the only tensor. Throws Error(usage) that names the collective, `what`, unless there is one.
const at::Tensor& the_one(const std::vector<at::Tensor>& tensors, const char* what);
/// Returns the tensor. Throws Error(usage) unless it is dense, without gaps, and on the CPU.
const at::Tensor& checked(const at::Tensor& tensor, const char* what);

/// All dimensions but the first are columns; a vector is one row.
Matrix matrix_of(const at::Tensor& tensor);

/// The memory of a tensor that checked() returned.
std::span<std::byte> bytes_of(const at::Tensor& tensor);

}  // namespace arlab::training
