// local_sgd: workers train independently and average their weights every H steps, each weighted by
// the samples that it has seen since.
//
// Each worker keeps its own optimizer moments. Stich, Local SGD Converges Fast and Communicates
// Little, ICLR 2019.
#include "training/strategies/strategy.hpp"

namespace arlab::training::strategy_catalog {
namespace {

class LocalSgd final : public Strategy {
 public:
  explicit LocalSgd(const StrategyContext& context) : s_(context), every_(context.count("every")) {}

  void finish_step(const Step& step) override {
    apply_all(s_, step);
    last_ = step.number;
    share_.add(step);
    if (++since_ == every_) settle();
  }

  void settle() override {
    if (since_ == 0) return;
    average(s_, {last_, 0, 0, Phase::weights}, s_.parameters.weights(), share_);
    since_ = 0;
    share_ = {};
  }

 private:
  StrategyContext s_;
  Count every_;
  Count last_ = 0, since_ = 0;
  SampleShare share_;  // since the last average
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<LocalSgd>(context);
}

}  // namespace

StrategyKind local_sgd() {
  return {
      .name = "local_sgd",
      .summary = "workers train independently and average their weights every H steps",
      .source = "Stich, ICLR 2019",
      .parameters = {{"every", Parameter::Unit::count, "8", "steps between averages", 1,
                      kMostSteps}},
      .synchronous = false,
      .equal_replicas = false,
      .own_moments = true,
      .local_batch = true,
      .periodic = true,
      .make = make,
  };
}

}  // namespace arlab::training::strategy_catalog
