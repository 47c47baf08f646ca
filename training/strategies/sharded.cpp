#include "training/strategies/sharded.hpp"

#include "training/strategies/shard_units.hpp"

namespace arlab::training {
namespace {

class Sharded final : public Strategy {
 public:
  Sharded(const StrategyContext& context, bool frees_gradients)
      : Strategy(&units_), optimizer_(context.optimizer), units_(context, frees_gradients, false) {}

  void start_step(const Step& step) override { units_.start_step(step.number); }

  void need(std::size_t variable) override { units_.finish(units_.of(variable)); }

  void ready(std::size_t variable) override {
    units_.finish(units_.of(variable));  // a worker without samples in this step skipped need()
    units_.ready(variable);
  }

  void finish_step(const Step& step) override {
    optimizer_.start_step(step.learning_rate);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      units_.update(u);
      units_.gather(u, 0);
    }
  }

  bool is_whole() const override { return !units_.in_progress(); }
  void flush() override { units_.finish_all(); }

 private:
  Optimizer& optimizer_;
  ShardUnits units_;
};

}  // namespace

std::unique_ptr<Strategy> make_sharded(const StrategyContext& context, bool frees_gradients) {
  return std::make_unique<Sharded>(context, frees_gradients);
}

std::string refuse_sharded(const StrategyContext& context) { return refuse_shards(context, false); }

}  // namespace arlab::training
