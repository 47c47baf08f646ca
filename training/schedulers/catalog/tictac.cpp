// tictac: sends gradients in the order that lets the next forward pass compute most, soonest.
//
// Gradient A precedes B if min(P_B, M_A) < min(P_A, M_B), where M is the time of the message and P
// that of the layers that wait only for it. Ties go to the gradient whose cheapest enabling set of
// messages is cheaper. On a chain of layers this is the chain's order; with branches it is not.
// Hashemi, Jyothi, Campbell, TicTac, MLSys 2019 (TAC).
#include <algorithm>

#include "training/schedulers/ranked.hpp"

namespace arlab::training::scheduler_catalog {
namespace {

using Set = std::vector<bool>;  // of gradients, by layer

// Returns the gradients that each layer's computation requires.
std::vector<Set> required(const Profile& profile) {
  std::vector<Set> all(profile.size(), Set(profile.size()));
  for (std::size_t l = 0; l < profile.size(); ++l) {
    all[l][l] = profile[l].elements > 0;
    std::vector<int> needs = profile[l].needs;
    if (needs.empty() && l > 0) needs.push_back(static_cast<int>(l) - 1);
    for (const int need : needs)
      for (std::size_t g = 0; g < profile.size(); ++g)
        if (all[static_cast<std::size_t>(need)][g]) all[l][g] = true;
  }
  return all;
}

struct Worth {
  Time message{};                     // M
  Time alone{};                       // P
  Time together = simulator::kNever;  // M+
};

std::vector<Worth> worths(const Profile& profile, const LinkCost& link,
                          const std::vector<Set>& required, const Set& open) {
  std::vector<Worth> all(profile.size());
  for (std::size_t g = 0; g < profile.size(); ++g) all[g].message = link.holds(profile[g].bytes());
  for (std::size_t l = 0; l < profile.size(); ++l) {
    Time messages{};
    std::vector<std::size_t> waits_for;
    for (std::size_t g = 0; g < profile.size(); ++g)
      if (required[l][g] && open[g]) {
        waits_for.push_back(g);
        messages += all[g].message;
      }
    if (waits_for.size() == 1) all[waits_for[0]].alone += profile[l].forward;
    if (waits_for.size() > 1)
      for (const std::size_t g : waits_for) all[g].together = std::min(all[g].together, messages);
  }
  return all;
}

bool before(const Worth& a, const Worth& b) {
  const Time first = std::min(b.alone, a.message), second = std::min(a.alone, b.message);
  return first != second ? first < second : a.together < b.together;
}

std::vector<int> urgency_of(const Profile& profile, const LinkCost& link) {
  const std::vector<Set> needed = required(profile);
  std::vector<int> urgency(profile.size());
  Set open(profile.size(), true);
  for (std::size_t place = 0; place < profile.size(); ++place) {
    const std::vector<Worth> worth = worths(profile, link, needed, open);
    std::size_t best = profile.size();
    for (std::size_t g = 0; g < profile.size(); ++g)
      if (open[g] && (best == profile.size() || before(worth[g], worth[best]))) best = g;
    open[best] = false;
    urgency[best] = static_cast<int>(place);
  }
  return urgency;
}

std::unique_ptr<Scheduler> make(const Profile& profile, const LinkCost& link, const Values&) {
  return by_urgency(profile, {.urgency = urgency_of(profile, link)});
}

}  // namespace

SchedulerKind tictac() {
  return {
      .name = "tictac",
      .summary = "sends whole gradients; first those that enable most computation; no barrier",
      .source = "Hashemi, Jyothi, Campbell, TicTac, MLSys 2019",
      .parameters = {},
      .barrier = false,
      .same_everywhere = false,
      .needs_times = true,
      .make = make,
  };
}

}  // namespace arlab::training::scheduler_catalog
