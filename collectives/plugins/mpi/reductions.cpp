#include "collectives/plugins/mpi/reductions.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

std::optional<DType> dtype_of(MPI_Datatype type) {
  static constexpr bool kLongIs64 = sizeof(long) == 8;
  static const std::array<std::pair<MPI_Datatype, DType>, 23> kTypes{{
      {MPI_DOUBLE, DType::float64},
      {MPI_FLOAT, DType::float32},
      {MPI_INT, DType::int32},
      {MPI_LONG, kLongIs64 ? DType::int64 : DType::int32},
      {MPI_INT64_T, DType::int64},
      {MPI_INT32_T, DType::int32},
      {MPI_LONG_LONG, DType::int64},
      {MPI_UNSIGNED, DType::uint32},
      {MPI_UNSIGNED_LONG, kLongIs64 ? DType::uint64 : DType::uint32},
      {MPI_UINT64_T, DType::uint64},
      {MPI_UINT32_T, DType::uint32},
      {MPI_UNSIGNED_LONG_LONG, DType::uint64},
      {MPI_SIGNED_CHAR, DType::int8},
      {MPI_INT8_T, DType::int8},
      {MPI_UNSIGNED_CHAR, DType::uint8},
      {MPI_UINT8_T, DType::uint8},
      {MPI_DOUBLE_PRECISION, DType::float64},
      {MPI_REAL, DType::float32},
      {MPI_INTEGER, DType::int32},
      {MPI_REAL8, DType::float64},
      {MPI_REAL4, DType::float32},
      {MPI_INTEGER8, DType::int64},
      {MPI_INTEGER4, DType::int32},
  }};
  for (const auto& [known, dtype] : kTypes)
    if (known == type) return dtype;
  return {};
}

std::optional<Op> op_of(MPI_Op op) {
  if (op == MPI_SUM) return Op::sum;
  if (op == MPI_MAX) return Op::max;
  if (op == MPI_MIN) return Op::min;
  if (op == MPI_PROD) return Op::prod;
  return {};
}

bool is_in(MPI_Datatype type, std::span<const MPI_Datatype> types) {
  return type != MPI_DATATYPE_NULL && std::find(types.begin(), types.end(), type) != types.end();
}

// The standard's classes of types. A name that the library lacks is MPI_DATATYPE_NULL.
bool is_integer(MPI_Datatype type) {
  static const MPI_Datatype types[] = {
      MPI_INT,         MPI_LONG,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
      MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
      MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_INT16_T,
      MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
      MPI_UINT32_T,    MPI_UINT64_T,      MPI_INTEGER,   MPI_INTEGER1,
      MPI_INTEGER2,    MPI_INTEGER4,      MPI_INTEGER8};
  return is_in(type, types);
}

bool is_floating(MPI_Datatype type) {
  static const MPI_Datatype types[] = {
      MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8};
  return is_in(type, types);
}

bool is_logical(MPI_Datatype type) {
  static const MPI_Datatype types[] = {MPI_LOGICAL, MPI_C_BOOL};
  return is_in(type, types);
}

bool is_complex(MPI_Datatype type) {
  static const MPI_Datatype types[] = {MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_COMPLEX,
                                       MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX};
  return is_in(type, types);
}

// Those that may have no gaps.
bool is_pair(MPI_Datatype type) {
  static const MPI_Datatype types[] = {MPI_2INT, MPI_FLOAT_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION,
                                       MPI_2INTEGER};
  return is_in(type, types);
}

bool is_allowed(MPI_Datatype type, MPI_Op op) {
  if (op == MPI_SUM || op == MPI_PROD)
    return is_integer(type) || is_floating(type) || is_complex(type);
  if (op == MPI_MIN || op == MPI_MAX) return is_integer(type) || is_floating(type);
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
    return is_integer(type) || is_logical(type);
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR)
    return is_integer(type) || type == MPI_BYTE;
  if (op == MPI_MINLOC || op == MPI_MAXLOC) return is_pair(type);
  return false;
}

bool has_gaps(MPI_Datatype type, Bytes bytes) {
  MPI_Aint low = 0, extent = 0;
  PMPI_Type_get_extent(type, &low, &extent);
  return low != 0 || extent != bytes;
}

// Types that may not be freed.
bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

void combine_by_kernel(const void* what, std::byte* into, const std::byte* from,
                       std::size_t elements) {
  reduce_into(into, from, static_cast<Count>(elements),
              *static_cast<const LocalReduction*>(what)->operand);
}

void combine_by_library(const void* what, std::byte* into, const std::byte* from,
                        std::size_t elements) {
  const auto& its = *static_cast<const LocalReduction*>(what);
  PMPI_Reduce_local(from, into, static_cast<int>(elements), its.type, its.op);
}

}  // namespace

std::optional<Operand> operand_of(MPI_Datatype type, MPI_Op op) {
  const auto operation = op_of(op);
  if (!operation) return {};
  const auto dtype = dtype_of(type);
  if (!dtype) return {};
  return Operand{*dtype, *operation};
}

StepReduction LocalReduction::in_steps() const {
  return {element_bytes, this, operand ? combine_by_kernel : combine_by_library};
}

std::optional<LocalReduction> local_reduction(MPI_Datatype type, MPI_Op op) {
  if (const auto operand = operand_of(type, op))
    return LocalReduction{type, op, size_of(operand->dtype), operand};
  if (!is_allowed(type, op)) return {};
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  if (bytes <= 0 || has_gaps(type, bytes)) return {};
  return LocalReduction{type, op, static_cast<std::size_t>(bytes), {}};
}

// A derived type may list its values in another order than memory does, so only repeated and
// duplicated types are looked through.
TypeShape shape_of(MPI_Datatype type) {
  static const std::array<std::pair<MPI_Datatype, int>, 6> kOften{{{MPI_BYTE, 1},
                                                                   {MPI_CHAR, 1},
                                                                   {MPI_INT, sizeof(int)},
                                                                   {MPI_FLOAT, sizeof(float)},
                                                                   {MPI_DOUBLE, sizeof(double)},
                                                                   {MPI_LONG, sizeof(long)}}};
  for (const auto& [known, bytes] : kOften)
    if (known == type) return {true, bytes};
  TypeShape shape;
  MPI_Count size = 0;  // int does not hold 2 GiB
  PMPI_Type_size_x(type, &size);
  shape.bytes = size;
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    shape.is_flat = !has_gaps(type, shape.bytes);
  } else if (combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_DUP) {
    std::vector<int> count(static_cast<std::size_t>(integers) + 1);
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    PMPI_Type_get_contents(type, integers, addresses, types, count.data(), nullptr, &inner);
    shape.is_flat = shape_of(inner).is_flat;
    PMPI_Type_get_envelope(inner, &integers, &addresses, &types, &combiner);
    if (!is_predefined(combiner)) PMPI_Type_free(&inner);
  }
  return shape;
}

}  // namespace arlab::collectives
