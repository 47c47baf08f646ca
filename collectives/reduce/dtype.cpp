#include "collectives/reduce/dtype.hpp"

#include <array>

namespace arlab::collectives {
namespace {

struct Type {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Type, std::size(kDTypes) + 1> kTypes{{{"float32", 4},
                                                           {"float64", 8},
                                                           {"float16", 2},
                                                           {"bfloat16", 2},
                                                           {"int32", 4},
                                                           {"int64", 8},
                                                           {"int8", 1},
                                                           {"uint8", 1},
                                                           {"uint32", 4},
                                                           {"uint64", 8},
                                                           {"float8_e4m3", 1},
                                                           {"float8_e5m2", 1},
                                                           {"byte", 1}}};
constexpr std::array<std::string_view, std::size(kOps)> kOpNames{"sum", "prod", "min", "max",
                                                                 "avg"};

}  // namespace

std::size_t size_of(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)].bytes; }
bool is_small_float(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float8_e4m3 ||
         dtype == DType::float8_e5m2;
}
std::string_view name(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)].name; }
std::string_view name(Op op) { return kOpNames[static_cast<std::size_t>(op)]; }

}  // namespace arlab::collectives
