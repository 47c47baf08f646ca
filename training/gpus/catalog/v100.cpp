// NVIDIA V100 SXM2, on which most built-in profiles were measured.
#include "training/gpus/gpu.hpp"

namespace arlab::training::gpu_catalog {

GpuKind v100() {
  constexpr double kFloat32 = 15.7e12, kMixed = 125e12;
  constexpr std::string_view kSource =
      "one V100 of NVIDIA's DeepLearningExamples, PyTorch: ResNet-50 v1.5 (container 21.03), 367 "
      "images/s in float32 and 1,200 mixed; BERT-Large, 128 tokens (21.11), 50 sequences/s in "
      "float32 and 224 mixed";
  return {.name = "v100",
          .label = "NVIDIA V100",
          .word = "V100",
          .memory = 900e9,
          .arithmetic = kFloat32,
          .watts = 300,
          .data_sheet = "NVIDIA V100 (SXM2) data sheet, 2020",
          .rates = {{.precision = Precision::float32,
                     .peak = kFloat32,
                     .images = 367 * kResNet50 / kFloat32,
                     .sequences = 50 * kBertLarge / kFloat32,
                     .source = kSource},
                    {.precision = Precision::mixed,
                     .peak = kMixed,
                     .images = 1200 * kResNet50 / kMixed,
                     .sequences = 224 * kBertLarge / kMixed,
                     .source = kSource}}};
}

}  // namespace arlab::training::gpu_catalog
