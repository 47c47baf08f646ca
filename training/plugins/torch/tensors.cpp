#include "training/plugins/torch/tensors.hpp"

#include <ATen/MemoryOverlap.h>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::training {

using collectives::DType;
using collectives::Op;
using collectives::Operand;

namespace {

using Kind = c10d::ReduceOp::RedOpType;

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

// A sum of bools is whether any is true, and a product whether all are.
Op op_of(Kind kind, bool of_bools) {
  switch (kind) {
    case Kind::SUM:
      return of_bools ? Op::max : Op::sum;
    case Kind::PRODUCT:
      return of_bools ? Op::min : Op::prod;
    case Kind::MIN:
      return Op::min;
    case Kind::MAX:
      return Op::max;
    case Kind::AVG:
      if (!of_bools) return Op::avg;
      [[fallthrough]];
    default:
      fail(
          Blame::usage,
          "arlab reduces by SUM, AVG, PRODUCT, MIN, MAX, integers by BAND, BOR and BXOR, and bools "
          "by all but AVG: choose one of these");
  }
}

const char* name_of(Kind kind) {
  constexpr const char* kNames[] = {"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"};
  return kind < std::size(kNames) ? kNames[kind] : "other";
}

}  // namespace

Reduction reduction_of(const at::Tensor& tensor, const c10d::ReduceOp& op) {
  const auto kind = static_cast<Kind>(op);
  const at::ScalarType type = tensor.scalar_type();
  const bool by_bits = kind == Kind::BAND || kind == Kind::BOR || kind == Kind::BXOR;
  if (by_bits && at::isIntegralType(type, true)) return {{}, kind, ShortText<8>(name_of(kind))};
  const bool of_bools = type == at::kBool;
  const Op its = op_of(kind, of_bools);
  return {{of_bools ? DType::uint8 : dtype_of(tensor), its}, {}, ShortText<8>(name_of(kind))};
}

at::Tensor combine_bits(const at::Tensor& a, const at::Tensor& b, const Reduction& reduction) {
  if (reduction.bits == Kind::BAND) return at::bitwise_and(a, b);
  if (reduction.bits == Kind::BOR) return at::bitwise_or(a, b);
  return at::bitwise_xor(a, b);
}

Call call_of(const char* what, const at::Tensor& tensor, Rank root) {
  Call call;
  call.what = ShortText<24>(what);
  call.type = ShortText<16>(c10::toString(tensor.scalar_type()));
  call.elements = tensor.numel();
  call.root = root;
  return call;
}

Call call_of(const char* what, const at::Tensor& tensor, const Reduction& reduction, Rank root) {
  Call call = call_of(what, tensor, root);
  call.op = reduction.name;
  return call;
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
  return tensor;
}

const at::Tensor& checked_result(const at::Tensor& tensor, const char* what) {
  if (!tensor.is_contiguous() && at::has_internal_overlap(tensor) == at::MemOverlap::Yes)
    fail(Blame::usage,
         concat(what, " into a tensor whose elements share memory: call clone() first"));
  return checked(tensor, what);
}

bool is_flat(const at::Tensor& tensor) {
  return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg();
}

at::Tensor flat(const at::Tensor& tensor, Held& held) {
  if (is_flat(tensor)) return tensor;
  return held.emplace_back(tensor.resolve_conj().resolve_neg().contiguous());
}

at::Tensor flat_space(const at::Tensor& tensor, Held& held) {
  if (is_flat(tensor)) return tensor;
  return held.emplace_back(at::empty(tensor.sizes(), tensor.options()));
}

void restore(const at::Tensor& tensor, const at::Tensor& its_flat) {
  if (!its_flat.is_same(tensor)) tensor.copy_(its_flat);
}

Matrix matrix_of(const at::Tensor& tensor) {
  if (tensor.dim() < 2 || tensor.numel() == 0) return {1, tensor.numel()};
  return {tensor.size(0), tensor.numel() / tensor.size(0)};
}

std::span<std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

}  // namespace arlab::training
