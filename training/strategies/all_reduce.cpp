#include "training/strategies/all_reduce.hpp"

#include <algorithm>
#include <vector>

namespace arlab::training {
namespace {

class AllReduce final : public Strategy {
 public:
  explicit AllReduce(const StrategyContext& context)
      : s_(context),
        parts_(s_.parameters, s_.optimizer),
        gradients_(s_.exchange, s_.parameters, s_.options.gradients),
        open_(s_.parameters.variables().size()) {}

  void start_step(const Step& step) override { gradients_.start_step(step.number); }

  void need(std::size_t variable) override {
    update(variable);
    gradients_.need(variable);
  }

  void ready(std::size_t variable) override {
    update(variable);  // a worker without samples in this step skipped need()
    gradients_.ready(variable);
  }

  void finish_step(const Step& step) override {
    if (gradients_.barrier()) return update_all(step);
    s_.optimizer.start_step(step.learning_rate);
    last_ = step;
    std::fill(open_.begin(), open_.end(), true);
  }

  void flush() override {
    for (std::size_t v = 0; v < open_.size(); ++v) update(v);
  }
  bool is_whole() const override {
    return std::find(open_.begin(), open_.end(), true) == open_.end();
  }

  State state() override { return gradients_.state(); }
  void restore(State state) override { gradients_.restore(std::move(state)); }

 private:
  // Waits for all gradients and checks them before applying any: a bad step changes no weights.
  void update_all(const Step& step) {
    gradients_.wait_for_all();
    apply_all(s_, step);
  }

  // Without a barrier, a variable is updated when the next step needs it.
  void update(std::size_t variable) {
    if (!open_[variable]) return;
    const Variable& v = s_.parameters.variables()[variable];
    gradients_.wait_for(variable);
    parts_.expect_finite(v.offset, v.elements, last_.number, false);
    parts_.apply(v.offset, v.elements);
    parts_.clear(v.offset, v.elements);
    open_[variable] = false;
  }

  StrategyContext s_;
  GradientParts parts_;
  GradientExchange gradients_;
  Step last_;
  std::vector<bool> open_;  // by variable: the last step's update is pending
};

}  // namespace

std::unique_ptr<Strategy> make_all_reduce(const StrategyContext& context) {
  return std::make_unique<AllReduce>(context);
}

}  // namespace arlab::training
