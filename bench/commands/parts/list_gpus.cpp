// arlab list gpus: prints the GPUs of plans: their data sheets, and what training reaches on them.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/text/listing.hpp"
#include "training/gpus/gpu.hpp"

namespace arlab::bench {
namespace {

using GpuRows = std::vector<std::vector<std::string>>;

std::string tera(double operations) { return fmt::format("{:.4g}", operations / 1e12); }

}  // namespace

void list_gpus(const Listing& listing) {
  GpuRows devices, rates;
  for (const training::GpuKind& gpu : training::gpus()) {
    devices.push_back({std::string(gpu.name), std::string(gpu.label),
                       fmt::format("{:.0f}", gpu.memory / 1e9), tera(gpu.arithmetic),
                       fmt::format("{:.0f}", gpu.watts), std::string(gpu.data_sheet)});
    for (const training::GpuRate& rate : gpu.rates)
      rates.push_back({std::string(gpu.name), std::string(name(rate.precision)), tera(rate.peak),
                       fmt::format("{:.1f}", rate.images * rate.peak / 1e12),
                       fmt::format("{:.1f}", rate.sequences * rate.peak / 1e12),
                       std::string(rate.source)});
  }
  listing.table({"GPU", "device", "memory GB/s", "float32 TFLOP/s", "watts", "source"}, devices);
  listing.note("\nWhat training reaches, in TFLOP/s; the first precision is the usual one.\n\n");
  listing.table({"GPU", "precision", "peak", "images", "sequences", "source"}, rates);
}

}  // namespace arlab::bench
