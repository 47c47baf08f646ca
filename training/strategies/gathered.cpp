// fsdp and hsdp: each pass gathers the weights of a unit before it uses them, and frees them then.
#include <algorithm>
#include <vector>

#include "algorithms/base/error.hpp"
#include "training/strategies/shard_units.hpp"
#include "training/strategies/sharded.hpp"

namespace arlab::training {
namespace {

class Gathered final : public Strategy {
 public:
  Gathered(const StrategyContext& context, bool in_groups)
      : Strategy(&units_),
        parameters_(context.parameters),
        optimizer_(context.optimizer),
        units_(context, true, in_groups),
        weights_(units_.size(), Weights::whole) {}

  void start_step(const Step& step) override {
    units_.start_step(step.number);
    for (std::size_t u = 0; u < units_.size(); ++u) free(u);
    pass_ = Pass::forward;
    current_ = kNone;
    gather(0);
  }

  void use(std::size_t variable, Pass pass) override {
    const std::size_t unit = units_.of(variable);
    if (pass == pass_ && unit == current_) return;
    expect_next(variable, pass);
    if (current_ != kNone) free(current_);
    pass_ = pass;
    current_ = unit;
    gather(unit);
    finish(unit);
    if (pass == Pass::forward && unit + 1 < units_.size()) gather(unit + 1);
    if (pass == Pass::backward && unit > 0) gather(unit - 1);
  }

  void ready(std::size_t variable) override { units_.ready(variable); }

  void finish_step(const Step& step) override {
    if (current_ != kNone) free(current_);
    optimizer_.start_step(step.learning_rate);
    for (std::size_t u = 0; u < units_.size(); ++u) units_.update(u);
  }

  bool is_whole() const override {
    return std::all_of(weights_.begin(), weights_.end(),
                       [](Weights w) { return w == Weights::whole; });
  }
  void flush() override {
    for (std::size_t u = 0; u < units_.size(); ++u) gather(u);
    for (std::size_t u = 0; u < units_.size(); ++u) finish(u);
  }

 private:
  enum class Weights : std::uint8_t { own, coming, whole };
  static constexpr std::size_t kNone = SIZE_MAX;

  // All ranks must gather in one order, also those without samples.
  void expect_next(std::size_t variable, Pass pass) const {
    const std::size_t unit = units_.of(variable), last = units_.size() - 1;
    const bool turns = pass != pass_ || current_ == kNone;
    const bool forward = pass == Pass::forward;
    const std::size_t next = turns ? (forward ? 0 : last) : forward ? current_ + 1 : current_ - 1;
    if (unit != next)
      fail(Blame::usage, "a pass uses " + parameters_.variables()[variable].name +
                             " out of order: a strategy that gathers weights needs a model whose "
                             "stages run in the order of their variables, each once per pass: use "
                             "strategy zero2");
  }

  void gather(std::size_t unit) {
    if (weights_[unit] != Weights::own) return;
    units_.gather(unit, pass_ == Pass::forward ? 0 : 1);
    weights_[unit] = Weights::coming;
  }
  void finish(std::size_t unit) {
    units_.finish(unit);
    weights_[unit] = Weights::whole;
  }
  void free(std::size_t unit) {
    if (weights_[unit] == Weights::own) return;
    if (weights_[unit] == Weights::coming) finish(unit);  // else its gradients may be in progress
    units_.free_weights(unit);
    weights_[unit] = Weights::own;
  }

  Parameters& parameters_;
  Optimizer& optimizer_;
  ShardUnits units_;
  std::vector<Weights> weights_;  // what is here of each unit
  Pass pass_ = Pass::forward;
  std::size_t current_ = kNone;  // the unit in use
};

}  // namespace

std::unique_ptr<Strategy> make_gathered(const StrategyContext& context, bool in_groups) {
  return std::make_unique<Gathered>(context, in_groups);
}

std::string refuse_grouped(const StrategyContext& context) { return refuse_shards(context, true); }

}  // namespace arlab::training
