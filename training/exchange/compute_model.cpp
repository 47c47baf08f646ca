#include "training/exchange/compute_model.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arlab::training {

ComputeModel::ComputeModel(collectives::Clock& clock, std::span<const Variable> variables,
                           double speed)
    : clock_(clock), speed_(speed), replays_(false), order_(variables.size()) {
  for (const Variable& v : variables) {
    const auto work = static_cast<double>(v.work);
    passes_.push_back({work, 2 * work});
  }
  std::iota(order_.rbegin(), order_.rend(), std::size_t{0});
}

ComputeModel::ComputeModel(collectives::Clock& clock, std::vector<PassTime> passes)
    : ComputeModel(clock, std::move(passes), &clock == &collectives::machine_clock()) {}

ComputeModel::ComputeModel(collectives::Clock& clock, std::vector<PassTime> passes, bool sleeps)
    : clock_(clock),
      replays_(true),
      sleeps_(sleeps),
      passes_(std::move(passes)),
      order_(passes_.size()) {
  std::iota(order_.rbegin(), order_.rend(), std::size_t{0});
}

void ComputeModel::begin(Count samples, bool announces_backward) {
  announced_.assign(passes_.size(), !announces_backward);
  scale_ = replays_ ? 1 : speed_ > 0 ? static_cast<double>(samples) / speed_ : 0;
  late_ = 0;
  needed_ = ready_ = 0;
}

void ComputeModel::end_compute() {
  if (!std::exchange(away_, false)) return;
  clock_.end_compute();
  if (!sleeps_) return;
  if (const double left = until_ - clock_.now(); left > 0) clock_.sleep(left);
  late_ = std::max(0.0, clock_.now() - until_);
}

// A sleep that ended late shortens the next one, so that delays of the machine do not add up.
void ComputeModel::begin_compute(double seconds) {
  away_ = true;
  if (sleeps_) until_ = clock_.now() - late_ + seconds;
  clock_.begin_compute(seconds);
}

// A forward pass follows; the last variable's is followed by the first backward pass.
void ComputeModel::compute_after_need(std::size_t variable) {
  const bool turns = ++needed_ == passes_.size() && announced_[order_.front()];
  begin_compute(forward(variable) + (turns ? backward(order_.front()) : 0));
}

void ComputeModel::compute_after_announcement(std::size_t variable) {
  announced_[variable] = true;
  if (order_[ready_] == variable) begin_compute(backward(variable));
}

// Assumes the order of the last pass, because autograd does not announce it.
void ComputeModel::compute_after_ready(std::size_t variable) {
  order_[ready_++] = variable;
  if (ready_ < order_.size() && announced_[order_[ready_]]) begin_compute(backward(order_[ready_]));
}

}  // namespace arlab::training
