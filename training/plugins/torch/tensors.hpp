// PyTorch's tensors in the terms of the collectives.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <optional>
#include <span>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "training/compressors/compressor.hpp"
#include "training/plugins/torch/ranks/call.hpp"

namespace arlab::training {

/// The mode of the thread that calls a collective, which another one takes to run it: tensors of
/// inference mode can be changed in that mode only.
class CallersMode {
 public:
  class Guard {
   public:
    explicit Guard(bool is_inference) : inference_(is_inference) {}

   private:
    c10::InferenceMode inference_;
    at::NoGradGuard no_grad_;
  };
  Guard enter() const { return Guard(is_inference_); }

 private:
  bool is_inference_ = c10::InferenceMode::is_enabled();
};

/// How to reduce tensors: by an operand of the collectives, or by bits, which they do not have.
struct Reduction {
  collectives::Operand operand{};
  std::optional<c10d::ReduceOp::RedOpType> bits = {};
  ShortText<8> name = {};
};
/// Throws Error(usage) for types and operations that do not go together.
Reduction reduction_of(const at::Tensor& tensor, const c10d::ReduceOp& op);
/// Returns a op b, of a reduction by bits.
at::Tensor combine_bits(const at::Tensor& a, const at::Tensor& b, const Reduction& reduction);

/// A call with the type and the elements of a tensor.
Call call_of(const char* what, const at::Tensor& tensor, Rank root = -1);
Call call_of(const char* what, const at::Tensor& tensor, const Reduction& reduction,
             Rank root = -1);

/// Returns the only tensor. Throws Error(usage) that names the collective, `what`, unless there is
/// one.
const at::Tensor& the_one(const std::vector<at::Tensor>& tensors, const char* what);
/// Returns the tensor. Throws Error(usage) unless it is dense and on the CPU.
const at::Tensor& checked(const at::Tensor& tensor, const char* what);
/// The same of one that is written: throws Error(usage), too, if elements of it share memory.
const at::Tensor& checked_result(const at::Tensor& tensor, const char* what);

/// Memory that a task needs until MPI no longer uses it.
using Held = std::vector<at::Tensor>;
/// Returns a tensor with its elements in order without gaps: itself, or a copy, which is held.
at::Tensor flat(const at::Tensor& tensor, Held& held);
/// Whether flat() returns the tensor itself.
bool is_flat(const at::Tensor& tensor);
/// The same without the values.
at::Tensor flat_space(const at::Tensor& tensor, Held& held);
/// Copies what flat() has copied back, if it has.
void restore(const at::Tensor& tensor, const at::Tensor& its_flat);

/// All dimensions but the first are columns; a vector is one row.
Matrix matrix_of(const at::Tensor& tensor);

/// The memory of a tensor without gaps.
std::span<std::byte> bytes_of(const at::Tensor& tensor);

}  // namespace arlab::training
