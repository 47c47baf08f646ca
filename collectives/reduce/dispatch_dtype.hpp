// dispatch_dtype: calls a generic function with the C++ type of a DType.
#pragma once

#include <cstdint>
#include <type_traits>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/dtype.hpp"
#include "collectives/reduce/small_floats.hpp"

namespace arlab::collectives {

/// Calls `use(std::type_identity<T>{})` with the element type of `dtype`, and returns its result.
template <class Use>
decltype(auto) dispatch_dtype(DType dtype, Use&& use) {
  switch (dtype) {
    case DType::float32:
      return use(std::type_identity<float>{});
    case DType::float64:
      return use(std::type_identity<double>{});
    case DType::float16:
      return use(std::type_identity<Float16>{});
    case DType::bfloat16:
      return use(std::type_identity<Bfloat16>{});
    case DType::int32:
      return use(std::type_identity<std::int32_t>{});
    case DType::int64:
      return use(std::type_identity<std::int64_t>{});
    case DType::int8:
      return use(std::type_identity<std::int8_t>{});
    case DType::uint8:
      return use(std::type_identity<std::uint8_t>{});
    case DType::uint32:
      return use(std::type_identity<std::uint32_t>{});
    case DType::uint64:
      return use(std::type_identity<std::uint64_t>{});
    case DType::float8_e4m3:
      return use(std::type_identity<Float8E4m3>{});
    case DType::float8_e5m2:
      return use(std::type_identity<Float8E5m2>{});
    case DType::byte:
      break;
  }
  fail(Blame::check, "internal error, please report: an element type without arithmetic");
}

}  // namespace arlab::collectives
