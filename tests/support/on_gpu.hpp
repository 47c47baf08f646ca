// For tests of kernels: vectors on the GPU, and gradients to try.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/cuda/check.hpp"

namespace arlab::collectives {

/// A vector on the GPU, and what has become of it.
template <class T>
class OnGpu {
 public:
  explicit OnGpu(const std::vector<T>& values) : count_(values.size()) {
    cuda::check(cudaMalloc(&data_, count_ * sizeof(T) + 16), "cudaMalloc");
    cuda::check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
                "cudaMemcpy");
  }
  ~OnGpu() { cudaFree(data_); }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> get() const {
    cuda::check(cudaGetLastError(), "a kernel's launch");
    std::vector<T> values(count_);
    cuda::check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    return values;
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

/// As gradients are: most are small, some are zero.
inline std::vector<float> gradient(Count n, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = random() % 16 == 0 ? 0 : std::exp(3 * normal(random)) * normal(random);
  return x;
}

}  // namespace arlab::collectives
