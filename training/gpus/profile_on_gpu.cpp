#include "training/gpus/profile_on_gpu.hpp"

#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

double reached(const GpuRate& rate, const ModelProfile& profile) {
  return rate.peak * (profile.samples == "images" ? rate.images : rate.sequences);
}

[[noreturn]] void fail_unknown_device(const ModelProfile& profile, const char* what) {
  fail(Blame::usage, "the times of profile " + profile.name + " are of '" + profile.device + "', " +
                         what +
                         ", so they cannot be scaled to another: write its \"device\" as in "
                         "\"NVIDIA A100, mixed\", or give --compute slowdown=0.5 for a GPU of "
                         "twice the speed");
}

}  // namespace

ModelProfile on_gpu(ModelProfile profile, const GpuChoice& choice) {
  if (!choice.gpu && !choice.precision) return profile;
  const NamedDevice from = named_device(profile.device);
  if (!from.gpu) fail_unknown_device(profile, "which is no GPU of `arlab list gpus`");
  const GpuKind& to = choice.gpu ? *choice.gpu : *from.gpu;
  const bool same_gpu = &to == from.gpu;
  if (same_gpu && (!choice.precision || choice.precision == from.precision)) return profile;
  if (!from.precision) fail_unknown_device(profile, "without the precision");
  const GpuRate& before = find_rate(*from.gpu, *from.precision);
  const GpuRate& after = choice.precision ? find_rate(to, *choice.precision) : to.rates.front();
  const double factor = reached(before, profile) / reached(after, profile);
  for (ModelProfile::Part& part : profile.layers) {
    part.forward = to_time(picoseconds(part.forward) * factor);
    part.backward = to_time(picoseconds(part.backward) * factor);
  }
  profile.optimizer *= from.gpu->memory / to.memory;
  const std::string scaled = ", scaled from " + profile.device;
  profile.device = std::string(to.label) + ", " + std::string(name(after.precision));
  for (auto& [figure, source] : profile.sources)
    if (figure != "parameters") source += scaled + " to " + profile.device;
  return profile;
}

}  // namespace arlab::training
