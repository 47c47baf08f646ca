// NVIDIA A100, 80 GB, SXM4.
#include "training/gpus/gpu.hpp"

namespace arlab::training::gpu_catalog {

GpuKind a100() {
  constexpr double kTf32 = 156e12, kMixed = 312e12;
  constexpr std::string_view kSource =
      "one A100 80 GB of NVIDIA's DeepLearningExamples, PyTorch: ResNet-50 v1.5 (container 21.03), "
      "938 images/s in TF32 and 2,470 mixed; BERT-Large, 128 tokens (21.11), 317 sequences/s in "
      "TF32 and 580 mixed";
  return {.name = "a100",
          .label = "NVIDIA A100 80 GB SXM4",
          .word = "A100",
          .memory = 2039e9,
          .arithmetic = 19.5e12,
          .watts = 400,
          .data_sheet = "NVIDIA A100 80 GB (SXM) data sheet, 2021",
          .rates = {{.precision = Precision::mixed,
                     .peak = kMixed,
                     .images = 2470 * kResNet50 / kMixed,
                     .sequences = 580 * kBertLarge / kMixed,
                     .source = kSource},
                    {.precision = Precision::tf32,
                     .peak = kTf32,
                     .images = 938 * kResNet50 / kTf32,
                     .sequences = 317 * kBertLarge / kTf32,
                     .source = kSource}}};
}

}  // namespace arlab::training::gpu_catalog
