#include "bench/training/train/gpu/gradients.hpp"

#include "algorithms/base/error.hpp"
#ifdef ARLAB_HAS_CUDA
#include "training/replica/cuda/device_math.hpp"
#endif
#include "training/trainer/gradient_place.hpp"

namespace arlab::bench {
namespace {

std::shared_ptr<const training::DeviceMath> math_of([[maybe_unused]] collectives::Device& device) {
#ifdef ARLAB_HAS_CUDA
  return training::cuda::device_math(device);
#else
  fail(Blame::check, "internal error, please report: a GPU in a build without CUDA");
#endif
}

}  // namespace

GradientPlace place_of_gradients(const training::TrainerOptions& learning, bool cuda) {
  const std::string why =
      cuda ? why_on_host(learning) : std::string("models compute on the processor");
  if (!why.empty()) return {.text = "host: " + why};
  collectives::Executor& executor = *learning.route_options.executor;
  const std::string how = executor.transport();
  return {math_of(*executor.device()), how.empty() ? "device" : "device, messages " + how};
}

}  // namespace arlab::bench
