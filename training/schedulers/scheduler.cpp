#include "training/schedulers/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/algorithm.hpp"

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
  std::vector<std::string_view> names;
  for (const SchedulerKind& kind : schedulers()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  fail(Blame::usage, "unknown scheduler '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab list schedulers` names all)");
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerKind& kind, const Profile& profile,
                                          const LinkCost& link, const simulator::Values& values) {
  check(profile);
  simulator::Values all;
  for (const simulator::Parameter& p : kind.parameters) all.emplace(p.name, p.default_value);
  for (const auto& [name, value] : values) {
    const auto found = all.find(name);
    if (found == all.end())
      fail(Blame::usage, "scheduler " + std::string(kind.name) + " has no parameter " + name +
                             ": `arlab list schedulers` names them");
    if (!(value >= 0) || std::isinf(value))
      fail(Blame::usage, "parameter " + name + " of scheduler " + std::string(kind.name) + " is " +
                             std::to_string(value) + ": use a number of 0 or more");
    found->second = value;
  }
  return kind.make(profile, link, all);
}

}  // namespace arlab::training
