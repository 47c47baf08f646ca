// GpuKind: a GPU by its data sheet, and the part of its rates that training reaches, from public
// measurements.
//
// To add one, write training/gpus/catalog/<name>.cpp with `GpuKind <name>()` in namespace
// arlab::training::gpu_catalog.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::training {

/// What multiplies in a training step. Mixed: 16 bits, beside weights and gradients in float32.
enum class Precision : std::uint8_t { float32, tf32, mixed };
inline constexpr Precision kPrecisions[] = {Precision::float32, Precision::tf32, Precision::mixed};
std::string_view name(Precision precision);

/// Floating-point operations of a training step: of an image of ResNet-50 (3 times 2 times 4.09
/// billion multiply-adds), and of a sequence of 128 tokens of BERT-Large (3 times 2 times 40
/// billion).
inline constexpr double kResNet50 = 24.5e9, kBertLarge = 240e9;

/// A precision in which there are public measurements.
struct GpuRate {
  Precision precision = Precision::mixed;
  double peak = 0;    ///< operations per second, without sparsity
  double images = 0;  ///< part of the peak that convolutional models reach; transformers:
  double sequences = 0;
  std::string_view source;  ///< of both parts
};

struct GpuKind {
  std::string_view name;   ///< the file's stem
  std::string_view label;  ///< what profiles call it
  std::string_view word;   ///< that names of the device contain
  double memory = 0;       ///< bytes per second
  double arithmetic = 0;   ///< float32 operations per second, without tensor cores
  double watts = 0;        ///< of the board, at most
  std::string_view data_sheet;
  std::vector<GpuRate> rates;  ///< the usual precision first
};

/// Returns every GPU of the catalog, by name.
std::span<const GpuKind> gpus();

/// Throws Error(usage) that names the nearest GPU if the name is unknown.
const GpuKind& find_gpu(std::string_view name);
/// Throws Error(usage) that names the nearest precision if the name is unknown.
Precision find_precision(std::string_view name);
/// Throws Error(usage) that names the precisions in which the GPU was measured.
const GpuRate& find_rate(const GpuKind& gpu, Precision precision);

/// What a device's name says: "NVIDIA A100-SXM4-80GB, bfloat16".
struct NamedDevice {
  const GpuKind* gpu = nullptr;  ///< null: none of the catalog
  std::optional<Precision> precision = {};
};
NamedDevice named_device(std::string_view text);

}  // namespace arlab::training
