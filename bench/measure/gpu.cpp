#include "bench/measure/gpu.hpp"

#include <fmt/format.h>

#include <map>

#include "algorithms/base/error.hpp"
#ifdef ARLAB_HAS_CUDA
#include "collectives/cuda/device.hpp"
#endif
#ifdef ARLAB_HAS_NCCL
#include "collectives/nccl/nccl.hpp"
#endif

namespace arlab::bench {

#ifdef ARLAB_HAS_CUDA

std::string why_no_gpu() { return collectives::cuda::unavailable(); }
collectives::Devices gpus() { return collectives::cuda::devices(); }
std::string cuda_versions() { return collectives::cuda::versions(); }

double copy_limit_gbps() {
  static const double limit = collectives::cuda::copy_limit_gbps(*gpus().front());
  return limit;
}

static std::string links() { return collectives::cuda::links(); }

#else

std::string why_no_gpu() {
  return "built without CUDA: install the CUDA toolkit (nvcc), then configure again";
}
collectives::Devices gpus() { fail(Blame::environment, why_no_gpu()); }
std::string cuda_versions() { return ""; }
double copy_limit_gbps() { fail(Blame::environment, why_no_gpu()); }
static std::string links() { return ""; }

#endif

#ifdef ARLAB_HAS_NCCL

std::string why_no_nccl() { return why_no_gpu(); }
std::unique_ptr<collectives::DeviceTransport> connect_nccl(collectives::Communicator& control,
                                                           collectives::Device& device) {
  return collectives::nccl_wires(control, device);
}
std::string nccl_of_program() { return collectives::nccl_version(); }

#else

std::string why_no_nccl() {
#ifdef ARLAB_HAS_CUDA
  return "built without NCCL: apt install libnccl-dev or pip install nvidia-nccl-cu13, then "
         "configure again";
#else
  return "built without CUDA and NCCL: install the CUDA toolkit (nvcc) and libnccl-dev, then "
         "configure again";
#endif
}
std::unique_ptr<collectives::DeviceTransport> connect_nccl(collectives::Communicator&,
                                                           collectives::Device&) {
  fail(Blame::environment, why_no_nccl());
}
std::string nccl_of_program() { return ""; }

#endif

std::string gpu_names() {
  if (!why_no_gpu().empty()) return "";
  std::map<std::string, int> counts;
  for (const auto& gpu : gpus()) ++counts[gpu->info().name];
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, name);
  return text;
}

Json gpu_context() {
  const collectives::DeviceInfo first = gpus().front()->info();
  const std::string how = links(), nccl = nccl_of_program();
  return {{"gpu", fmt::format("{} ({})", gpu_names(), first.details)},
          {"gpu_links", how.empty() ? Json(nullptr) : Json(how)},
          {"copy_limit_gb_per_s", copy_limit_gbps()},
          {"cuda", cuda_versions()},
          {"nccl", nccl.empty() ? Json(nullptr) : Json(nccl)}};
}

}  // namespace arlab::bench
