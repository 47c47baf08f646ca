#include "bench/training/running_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/units.hpp"
#include "training/gpus/gpu.hpp"

namespace arlab::bench {
namespace {

std::optional<double> number_of(const std::vector<double>& numbers, const char* setting,
                                const std::vector<std::string>& gpus,
                                const training::GpuKind* gpu) {
  if (numbers.empty()) return {};
  if (numbers.size() == 1) return numbers.front();
  if (numbers.size() != gpus.size())
    fail(Blame::usage, fmt::format("--compute {} has {} numbers for {}: give one for all, or one "
                                   "for each --compute gpu",
                                   setting, numbers.size(), show_plural(gpus.size(), "GPU")));
  const auto it = std::ranges::find(gpus, gpu ? gpu->name : "");
  return numbers.at(static_cast<std::size_t>(it - gpus.begin()));
}

}  // namespace

GpuPrice price_of(const TrainingSpec& spec, const std::string& device) {
  const training::GpuKind* const gpu = training::named_device(device).gpu;
  GpuPrice price{.dollars_per_hour = number_of(spec.price, "price", spec.gpus, gpu),
                 .watts = number_of(spec.watts, "watts", spec.gpus, gpu)};
  if (!price.watts && gpu) price.watts = gpu->watts;
  return price;
}

bool asks_cost(const TrainingSpec& spec) {
  return spec.given("--compute price") || spec.given("--compute watts");
}

RunningCost running_cost(const GpuPrice& price, Rank gpus, double samples_per_second) {
  const double hours = 1e6 / samples_per_second / 3600 * gpus;
  RunningCost cost;
  if (price.dollars_per_hour) cost.dollars = hours * *price.dollars_per_hour;
  if (price.watts) cost.kilowatt_hours = hours * *price.watts / 1000;
  return cost;
}

}  // namespace arlab::bench
