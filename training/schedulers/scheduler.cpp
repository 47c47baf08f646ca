#include "training/schedulers/scheduler.hpp"

#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::training {

void check(const Profile& profile) {
  if (profile.empty()) fail(Blame::usage, "the profile has 0 layers: use at least one");
  for (std::size_t l = 0; l < profile.size(); ++l) {
    const Layer& layer = profile[l];
    const std::string who = "layer " + std::to_string(l) + " '" + layer.name + "' ";
    if (layer.forward < Time{} || layer.backward < Time{})
      fail(Blame::usage, who + "has a negative time: use times of 0 or more");
    if (layer.elements < 0)
      fail(Blame::usage,
           who + "has " + std::to_string(layer.elements) + " elements: use 0 or more");
    for (const int need : layer.needs)
      if (need < 0 || need >= static_cast<int>(l))
        fail(Blame::usage, who + "needs layer " + std::to_string(need) +
                               ", which does not precede it: list layers in forward order");
  }
}

Count Bundle::elements() const {
  Count sum = 0;
  for (const Slice& slice : slices) sum += slice.elements;
  return sum;
}

const SchedulerKind& find_scheduler(std::string_view name) {
  return find_named(schedulers(), name, "scheduler");
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerKind& kind, const Profile& profile,
                                          const LinkCost& link, const Values& values) {
  check(profile);
  const std::string owner = concat("scheduler ", kind.name);
  expect_known(kind.parameters, values, owner);
  return kind.make(profile, link, with_defaults(kind.parameters, values, owner));
}

}  // namespace arlab::training
