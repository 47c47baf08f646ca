// NVIDIA H200, 141 GB, SXM5: an H100 with a faster memory.
#include "training/gpus/gpu.hpp"

namespace arlab::training::gpu_catalog {

GpuKind h200() {
  constexpr double kMixed = 989e12;
  return {.name = "h200",
          .label = "NVIDIA H200 141 GB SXM5",
          .word = "H200",
          .memory = 4800e9,
          .arithmetic = 67e12,
          .watts = 700,
          .data_sheet = "NVIDIA H200 (SXM) data sheet, 2024",
          .rates = {{.precision = Precision::mixed,
                     .peak = kMixed,
                     .images = 2470 * (14.4 / 7.8) * kResNet50 / kMixed,
                     .sequences = 334e12 / kMixed,
                     .source = "as an H100, whose peaks it has: MLPerf Training 3.0, ResNet-50 on "
                               "16 GPUs of Dell; NVIDIA NeMo "
                               "AutoModel, Nemotron 120B on 64 GPUs (26.02). Its memory makes no "
                               "model faster here but in the "
                               "optimizer and in codes"}}};
}

}  // namespace arlab::training::gpu_catalog
