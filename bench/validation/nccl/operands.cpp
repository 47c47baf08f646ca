#include "bench/validation/nccl/operands.hpp"

namespace arlab::bench {

using simulator::nccl::Number, simulator::nccl::Reduction;

Number number_named(std::string_view dtype) {
  if (dtype == "double" || dtype == "float64") return Number::float64;
  if (dtype == "half" || dtype == "float16" || dtype == "bfloat16") return Number::half;
  if (dtype.starts_with("f8") || dtype.starts_with("float8")) return Number::float8;
  if (dtype.ends_with("int8") || dtype == "byte") return Number::byte;
  return dtype.find("int") != std::string_view::npos ? Number::integer : Number::float32;
}

Reduction reduction_named(std::string_view op) {
  if (op == "prod") return Reduction::product;
  if (op == "min" || op == "max") return Reduction::min_or_max;
  return op == "avg" ? Reduction::average : Reduction::sum;
}

}  // namespace arlab::bench
