// NVIDIA B200, 180 GB, SXM, of an HGX or DGX B200.
#include "training/gpus/gpu.hpp"

namespace arlab::training::gpu_catalog {

GpuKind b200() {
  constexpr double kMixed = 2250e12;
  return {.name = "b200",
          .label = "NVIDIA B200 180 GB SXM",
          .word = "B200",
          .memory = 8000e9,
          .arithmetic = 75e12,
          .watts = 1000,
          .data_sheet = "NVIDIA DGX B200 data sheet, 2024, an eighth of it",
          .rates = {
              {.precision = Precision::mixed,
               .peak = kMixed,
               .images = 2470 * (14.4 / 7.8) * (37.0 / 21.5) * kResNet50 / kMixed,
               .sequences = 2 * 334e12 / kMixed,
               .source =
                   "images: 1.72 H100s, MLPerf Training, RetinaNet on 8 GPUs, 37.0 (3.0-2064) and "
                   "21.5 minutes (5.1); sequences: 2 H100s, MLPerf Training 4.1, GPT-3 per GPU"}}};
}

}  // namespace arlab::training::gpu_catalog
