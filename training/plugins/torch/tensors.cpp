#include "training/plugins/torch/tensors.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::training {

using collectives::DType;
using collectives::Op;

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DType::float32;
    case at::kDouble:
      return DType::float64;
    case at::kHalf:
      return DType::float16;
    case at::kBFloat16:
      return DType::bfloat16;
    case at::kInt:
      return DType::int32;
    case at::kLong:
      return DType::int64;
    case at::kChar:
      return DType::int8;
    case at::kByte:
      return DType::uint8;
    default:
      fail(Blame::usage,
           concat("arlab cannot reduce tensors of ", c10::toString(tensor.scalar_type()),
                  ": convert them to float32, float64, float16, bfloat16 or an integer "
                  "type first"));
  }
}

Op op_of(const c10d::ReduceOp& op) {
  switch (static_cast<c10d::ReduceOp::RedOpType>(op)) {
    case c10d::ReduceOp::SUM:
      return Op::sum;
    case c10d::ReduceOp::AVG:
      return Op::avg;
    case c10d::ReduceOp::PRODUCT:
      return Op::prod;
    case c10d::ReduceOp::MIN:
      return Op::min;
    case c10d::ReduceOp::MAX:
      return Op::max;
    default:
      fail(Blame::usage, "arlab reduces by SUM, AVG, PRODUCT, MIN and MAX: choose one of these");
  }
}

const at::Tensor& the_one(const std::vector<at::Tensor>& tensors, const char* what) {
  if (tensors.size() != 1)
    fail(Blame::usage,
         concat(what, " takes one tensor, not ", tensors.size(), ": call it for each"));
  return tensors.front();
}

const at::Tensor& checked(const at::Tensor& tensor, const char* what) {
  if (!tensor.device().is_cpu())
    fail(Blame::usage, concat(what, " of a tensor on ", tensor.device().str(),
                              ": arlab takes tensors on the CPU, move it there"));
  if (tensor.is_sparse() || tensor.layout() != at::kStrided)
    fail(Blame::usage, concat(what, " of a sparse tensor: make it dense with to_dense()"));
  if (!tensor.is_contiguous())
    fail(Blame::usage, concat(what, " of a tensor with gaps: call contiguous() first"));
  return tensor;
}

Matrix matrix_of(const at::Tensor& tensor) {
  if (tensor.dim() < 2 || tensor.numel() == 0) return {1, tensor.numel()};
  return {tensor.size(0), tensor.numel() / tensor.size(0)};
}

std::span<std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

}  // namespace arlab::training
