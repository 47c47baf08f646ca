#include "collectives/cuda/each.cuh"
#include "training/replica/cuda/updates.hpp"

namespace arlab::training::cuda {

using namespace collectives::cuda;
namespace {

// The formulas of optimizer.cpp: products and sums are rounded one by one (-fmad=false), and square
// roots and quotients correctly.
__device__ float gradient(const UpdatedPart& p, const Update& s, Count i) {
  return s.decay == 0 ? p.gradients[i] : p.gradients[i] + s.decay * p.weights[i];
}

struct Sgd {
  UpdatedPart p;
  Update s;
  __device__ void operator()(Count i) const { p.weights[i] -= s.rate * gradient(p, s, i); }
};

struct Momentum {
  UpdatedPart p;
  Update s;
  __device__ void operator()(Count i) const {
    p.mean[i] = s.momentum * p.mean[i] + gradient(p, s, i);
    p.weights[i] -= s.rate * p.mean[i];
  }
};

struct Adam {
  UpdatedPart p;
  Update s;
  __device__ void operator()(Count i) const {
    const float g = gradient(p, s, i);
    const float m = p.mean[i] = s.beta1 * p.mean[i] + (1 - s.beta1) * g;
    const float v = p.square[i] = s.beta2 * p.square[i] + (1 - s.beta2) * g * g;
    p.weights[i] -= s.rate * m / (sqrtf(v) * s.scale + s.epsilon);
  }
};

struct Clear {
  float* x;
  __device__ void operator()(Count i) const { x[i] = 0; }
};

struct FindNotFinite {
  int* found;
  const float* x;
  __device__ void operator()(Count i) const {
    constexpr unsigned kExponent = 0x7f800000;
    if ((__float_as_uint(x[i]) & kExponent) == kExponent) *found = 1;
  }
};

}  // namespace

void load_updates() {
  const Launch loads{.loads_only = true};
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::momentum, OptimizerKind::adam})
    update({.kind = kind}, {.elements = 1}, loads);
  clear(nullptr, 1, loads);
  find_not_finite(nullptr, nullptr, 1, loads);
}

void update(const Update& step, const UpdatedPart& part, const Launch& launch) {
  switch (step.kind) {
    case OptimizerKind::none:
      return;
    case OptimizerKind::sgd:
      return launch_for_each(part.elements, launch, Sgd{part, step});
    case OptimizerKind::momentum:
      return launch_for_each(part.elements, launch, Momentum{part, step});
    case OptimizerKind::adam:
      return launch_for_each(part.elements, launch, Adam{part, step});
  }
}

void clear(float* x, Count n, const Launch& launch) { launch_for_each(n, launch, Clear{x}); }

void find_not_finite(int* found, const float* x, Count n, const Launch& launch) {
  launch_for_each(n, launch, FindNotFinite{found, x});
}

}  // namespace arlab::training::cuda
