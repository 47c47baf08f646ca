#include "training/exchange/compute_model.hpp"

#include <numeric>
#include <utility>

namespace arlab::training {

ComputeModel::ComputeModel(collectives::Clock& clock, std::span<const Variable> variables,
                           double speed)
    : clock_(clock), speed_(speed), order_(variables.size()) {
  for (const Variable& v : variables) work_.push_back(static_cast<double>(v.work));
  std::iota(order_.rbegin(), order_.rend(), std::size_t{0});
}

void ComputeModel::begin(Count samples) {
  scale_ = speed_ > 0 ? static_cast<double>(samples) / speed_ : 0;
  needed_ = ready_ = 0;
}

void ComputeModel::end_compute() {
  if (std::exchange(away_, false)) clock_.end_compute();
}

void ComputeModel::begin_compute(double seconds) {
  away_ = true;
  clock_.begin_compute(seconds);
}

// A forward pass follows; the last variable's is followed by the first backward pass.
void ComputeModel::compute_after_need(std::size_t variable) {
  const bool last = ++needed_ == work_.size();
  begin_compute(seconds(variable) + (last ? 2 * seconds(order_.front()) : 0));
}

// Assumes the order of the last pass, because autograd does not announce it.
void ComputeModel::compute_after_ready(std::size_t variable) {
  order_[ready_++] = variable;
  if (ready_ < order_.size()) begin_compute(2 * seconds(order_[ready_]));
}

}  // namespace arlab::training
