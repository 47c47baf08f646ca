#include "collectives/mpi/library/operand.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

template <DType dtype, Op op>
void combine(void* from, void* into, int* elements, MPI_Datatype*) {
  reduce_into(static_cast<std::byte*>(into), static_cast<const std::byte*>(from), *elements,
              {dtype, op});
}

template <DType dtype>
MPI_User_function* own_operation(Op op) {
  switch (op) {
    case Op::prod:
      return combine<dtype, Op::prod>;
    case Op::min:
      return combine<dtype, Op::min>;
    case Op::max:
      return combine<dtype, Op::max>;
    default:
      return combine<dtype, Op::sum>;
  }
}

MPI_Op known(Op op) {
  switch (op) {
    case Op::prod:
      return MPI_PROD;
    case Op::min:
      return MPI_MIN;
    case Op::max:
      return MPI_MAX;
    default:
      return MPI_SUM;
  }
}

}  // namespace

MpiOperand::MpiOperand(Operand operand) : operand_(operand) {
  switch (operand.dtype) {
    case DType::float16:
      make_own(2, own_operation<DType::float16>(operand.op));
      return;
    case DType::bfloat16:
      make_own(2, own_operation<DType::bfloat16>(operand.op));
      return;
    case DType::float8_e4m3:
      make_own(1, own_operation<DType::float8_e4m3>(operand.op));
      return;
    case DType::float8_e5m2:
      make_own(1, own_operation<DType::float8_e5m2>(operand.op));
      return;
    case DType::float32:
      type_ = MPI_FLOAT;
      break;
    case DType::float64:
      type_ = MPI_DOUBLE;
      break;
    case DType::int32:
      type_ = MPI_INT32_T;
      break;
    case DType::int64:
      type_ = MPI_INT64_T;
      break;
    case DType::int8:
      type_ = MPI_INT8_T;
      break;
    case DType::uint8:
      type_ = MPI_UINT8_T;
      break;
    case DType::uint32:
      type_ = MPI_UINT32_T;
      break;
    case DType::uint64:
      type_ = MPI_UINT64_T;
      break;
    case DType::byte:
      fail(Blame::usage, "bytes cannot be reduced: choose an element type");
  }
  op_ = known(operand.op);
}

MpiOperand::~MpiOperand() {
  if (!made_) return;
  MPI_Op_free(&op_);
  MPI_Type_free(&type_);
}

void MpiOperand::make_own(int bytes, MPI_User_function* function) {
  check_mpi(MPI_Type_contiguous(bytes, MPI_BYTE, &type_), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Op_create(function, 1, &op_), "MPI_Op_create");
  made_ = true;
}

}  // namespace arlab::collectives
