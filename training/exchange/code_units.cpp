#include "training/exchange/code_units.hpp"

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

std::vector<TensorShapes> code_units(const GradientOptions& options,
                                     std::span<const Variable> variables) {
  const SchedulerKind& kind = find_scheduler(options.scheduler);
  const bool whole_bundles = kind.same_everywhere && !kind.needs_times;
  constexpr Time kPass = kMicrosecond;  // slices depend on no time
  Profile layers;
  for (const Variable& v : variables) layers.push_back({v.name, kPass, kPass, v.elements, {}});
  const std::unique_ptr<Scheduler> scheduler = make_scheduler(kind, layers, {}, options.scheduling);
  std::vector<TensorShapes> units;
  Time now{};
  const auto take = [&](const Bundle& bundle) {
    if (bundle.collective == Collective::all_gather) return;  // the second half
    bool is_new = true;
    for (const Slice& slice : bundle.slices) {
      if (slice.elements == 0) continue;
      if (is_new || !whole_bundles) units.emplace_back();
      is_new = false;
      units.back().push_back(
          matrix_of(variables[static_cast<std::size_t>(slice.layer)], slice.first, slice.elements));
    }
  };
  for (std::size_t v = layers.size(); v-- > 0;) scheduler->ready(static_cast<int>(v), now);
  while (true) {
    while (const std::optional<Bundle> bundle = scheduler->next(now)) {
      take(*bundle);
      scheduler->done(*bundle, now);
    }
    now = scheduler->wake(now);
    if (now == simulator::kNever) return units;
  }
}

}  // namespace arlab::training
