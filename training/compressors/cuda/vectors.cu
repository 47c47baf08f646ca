#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/groups.cuh"

namespace arlab::training::cuda {

void multiply(float* x, Count n, float factor, const Launch& launch) {
  launch_map<4>(
      x, n, cut_groups<4>(n, x), launch,
      [=] __device__(Count, float v) { return __fmul_rn(v, factor); },
      static_cast<const float*>(x));
}

void divide(float* x, Count n, float divisor, const Launch& launch) {
  launch_map<4>(
      x, n, cut_groups<4>(n, x), launch,
      [=] __device__(Count, float v) { return __fdiv_rn(v, divisor); },
      static_cast<const float*>(x));
}

void add_scaled(float* into, const float* x, Count n, float weight, const Launch& launch) {
  launch_map<4>(
      into, n, cut_groups<4>(n, into, x), launch,
      [=] __device__(Count, float sum, float v) { return __fadd_rn(sum, __fmul_rn(weight, v)); },
      static_cast<const float*>(into), x);
}

void drop_not_finite(float* x, Count n, const Launch& launch) {
  launch_map<4>(
      x, n, cut_groups<4>(n, x), launch,
      [=] __device__(Count, float v) { return magnitude(v) < kInfinity ? v : 0.0f; },
      static_cast<const float*>(x));
}

}  // namespace arlab::training::cuda
