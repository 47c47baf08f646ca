// NVIDIA H100, 80 GB, SXM5.
#include "training/gpus/gpu.hpp"

namespace arlab::training::gpu_catalog {

GpuKind h100() {
  constexpr double kMixed = 989e12;
  return {.name = "h100",
          .label = "NVIDIA H100 80 GB SXM5",
          .word = "H100",
          .memory = 3350e9,
          .arithmetic = 67e12,
          .watts = 700,
          .data_sheet = "NVIDIA H100 (SXM) data sheet, 2023",
          .rates = {{.precision = Precision::mixed,
                     .peak = kMixed,
                     .images = 2470 * (14.4 / 7.8) * kResNet50 / kMixed,
                     .sequences = 334e12 / kMixed,
                     .source = "images: 1.85 A100s, MLPerf Training 3.0, ResNet-50 on 16 GPUs of "
                               "Dell, 7.8 and 14.4 minutes; "
                               "sequences: 334 TFLOP/s in bfloat16, NVIDIA NeMo AutoModel, "
                               "Nemotron 120B on 64 GPUs (26.02)"}}};
}

}  // namespace arlab::training::gpu_catalog
