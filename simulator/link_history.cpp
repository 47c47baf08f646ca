#include "simulator/link_history.hpp"

#include <algorithm>

namespace arlab::simulator {

void LinkHistory::add(std::size_t link, Time begin, Time end, double rate) {
  if (end <= begin) return;
  if (link >= carried_.size()) carried_.resize(link + 1);
  while (end > step_ * kSteps) double_step();
  std::vector<double>& steps = carried_[link];
  if (steps.empty()) steps.resize(kSteps);
  for (Time from = begin; from < end;) {
    const std::int64_t number = from / step_;
    const Time to = std::min(end, (number + 1) * step_);
    steps[static_cast<std::size_t>(number)] += rate * picoseconds(to - from);
    from = to;
  }
}

void LinkHistory::double_step() {
  step_ *= 2;
  for (std::vector<double>& steps : carried_) {
    if (steps.empty()) continue;
    for (std::size_t i = 0; i < kSteps / 2; ++i) steps[i] = steps[2 * i] + steps[2 * i + 1];
    std::fill(steps.begin() + kSteps / 2, steps.end(), 0.0);
  }
}

std::vector<double> LinkHistory::carried(std::size_t link, Time end) const {
  const auto steps = static_cast<std::size_t>((end + step_ - Time{1}) / step_);
  std::vector<double> all(std::min(steps, kSteps));
  if (link < carried_.size() && !carried_[link].empty())
    std::copy_n(carried_[link].begin(), all.size(), all.begin());
  return all;
}

}  // namespace arlab::simulator
