// diloco: workers train independently; every H steps an outer optimizer applies their mean change.
//
// The outer gradient is the mean over the workers of (weights at the last outer step - weights
// now), each weighted by the samples that the worker has seen since. The outer optimizer is SGD
// with Nesterov momentum. All workers compute the same outer step, so its momentum is the same
// everywhere; the moments of the inner optimizer stay with each worker. With an outer rate of 1 and
// no outer momentum, this is local_sgd. Douillard et al., DiLoCo, arXiv:2311.08105.
//
// Streaming: fragments of the model take turns. With a delay, a worker trains on while an outer
// gradient travels; then it keeps a part of its own weights. Outer gradients may be compressed.
// Douillard et al., Streaming DiLoCo with overlapping communication, arXiv:2501.18512.
#include <cstring>

#include "algorithms/base/error.hpp"
#include "training/strategies/fragments.hpp"
#include "training/strategies/outer_gradient.hpp"

namespace arlab::training::strategy_catalog {
namespace {

constexpr const char* kVelocity = "outer/velocity";

class DiLoCo final : public Strategy {
 public:
  explicit DiLoCo(const StrategyContext& context)
      : s_(context),
        fragments_(make_outer_gradients(context)),
        velocity_(s_.parameters.weights().size()),
        every_(context.count("every")),
        delay_(context.count("delay")),
        sent_(delay_ > 0 ? velocity_.size() : 0) {}

  // All workers hold the same weights here.
  void start_epoch(Count /*first*/, Count /*steps*/) override {
    const std::span<const float> weights = s_.parameters.weights();
    anchor_.assign(weights.begin(), weights.end());
  }

  void finish_step(const Step& step) override {
    apply_all(s_, step);
    last_ = step.number;
    ++since_;
    for (Fragment& f : fragments_) {
      ++f.steps;
      f.share.add(step);
      if (f.gradient->in_progress() && f.steps == delay_) receive(f);
    }
    const auto count = static_cast<Count>(fragments_.size());
    for (Count f = 0; f < count; ++f)
      if (is_due(since_, f, count, every_)) {
        send(at(f));
        if (delay_ == 0) receive(at(f));
      }
  }

  void settle() override {
    since_ = 0;
    for (Fragment& f : fragments_)
      if (f.gradient->in_progress()) receive(f);
    for (Fragment& f : fragments_)
      if (f.steps > 0) {
        send(f);
        receive(f);
      }
  }

  State state() override {
    const auto bytes = std::as_bytes(std::span(velocity_));
    State all{{kVelocity, {bytes.begin(), bytes.end()}}};
    for (Fragment& f : fragments_) f.gradient->save(all);
    return all;
  }
  void restore(State state) override {
    const std::vector<std::byte>& saved = state[kVelocity];
    if (saved.size() != velocity_.size() * sizeof(float))
      fail(Blame::usage,
           "the checkpoint has no momentum of the outer optimizer, or of another model: use "
           "another checkpoint");
    std::memcpy(velocity_.data(), saved.data(), saved.size());
    for (Fragment& f : fragments_) f.gradient->restore(state);
  }

 private:
  struct Fragment {
    std::unique_ptr<OuterGradient> gradient;
    Count steps = 0;         // of this worker that no outer gradient contains
    SampleShare share = {};  // in these
  };

  static std::vector<Fragment> make_outer_gradients(const StrategyContext& context) {
    std::vector<Count> elements;
    for (const Variable& v : context.parameters.variables()) elements.push_back(v.elements);
    std::vector<Fragment> all;
    for (const VariableRange& range : cut_into_fragments(elements, context.count("fragments")))
      all.push_back(
          {std::make_unique<OuterGradient>(context, static_cast<int>(all.size()), range)});
    return all;
  }
  Fragment& at(Count f) { return fragments_[static_cast<std::size_t>(f)]; }

  // Where the outer gradient is while it travels: without delay, in place of the weights.
  std::span<float> change_of(const Fragment& f) {
    return f.gradient->of(sent_.empty() ? s_.parameters.weights() : std::span<float>(sent_));
  }

  void send(Fragment& f) {
    const std::span<const float> weights = f.gradient->of(s_.parameters.weights());
    const std::span<const float> anchor = f.gradient->of(anchor_);
    const std::span<float> change = change_of(f);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = anchor[i] - weights[i];
    weigh(change, f.share, s_.workers);
    f.gradient->start(last_, change);
    f.steps = 0;
    f.share = {};
  }

  // The outer step. A worker that has trained since keeps a part of its weights.
  void receive(Fragment& f) {
    f.gradient->finish();
    const auto rate = static_cast<float>(s_.value("outer_rate"));
    const auto momentum = static_cast<float>(s_.value("outer_momentum"));
    const float keeps = f.steps > 0 ? static_cast<float>(s_.value("mix")) : 0;
    const std::span<const float> changes = change_of(f);
    const std::span<float> weights = f.gradient->of(s_.parameters.weights());
    const std::span<float> anchor = f.gradient->of(anchor_), velocity = f.gradient->of(velocity_);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float change = changes[i];
      velocity[i] = momentum * velocity[i] + change;
      anchor[i] -= rate * (change + momentum * velocity[i]);
      weights[i] = keeps > 0 ? keeps * weights[i] + (1 - keeps) * anchor[i] : anchor[i];
    }
  }

  StrategyContext s_;
  std::vector<Fragment> fragments_;
  std::vector<float> anchor_;    // the weights after the last outer step
  std::vector<float> velocity_;  // of the outer optimizer
  Count every_, delay_;
  std::vector<float> sent_;  // outer gradients in progress, if they are delayed
  Count last_ = 0, since_ = 0;
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<DiLoCo>(context);
}

std::string unsupported_reason(const StrategyContext& context) {
  const double rate = context.value("outer_rate"), momentum = context.value("outer_momentum");
  if (!(rate > 0))
    return "the outer learning rate is " + std::to_string(rate) +
           ": use a rate above 0, such as 0.7";
  if (!(momentum < 1))
    return "the outer momentum is " + std::to_string(momentum) +
           ": use at least 0 and less than 1, such as 0.9";
  if (const std::string why = refuse_outer_codes(context.options.gradients); !why.empty())
    return why;
  return refuse_fragments(context.count("fragments"),
                          static_cast<Count>(context.parameters.variables().size()),
                          context.count("delay"), context.count("every"));
}

}  // namespace

StrategyKind diloco() {
  return {
      .name = "diloco",
      .summary =
          "workers train independently; every H steps an outer Nesterov optimizer applies "
          "their mean change",
      .source = "Douillard et al., DiLoCo, arXiv:2311.08105; Streaming DiLoCo, arXiv:2501.18512",
      .parameters =
          {{"every", Parameter::Unit::count, "8", "steps between averages", 1, kMostSteps},
           {"outer_rate", Parameter::Unit::number, "0.7", "learning rate of the outer optimizer"},
           {"outer_momentum", Parameter::Unit::number, "0.9", "its Nesterov momentum"},
           {"fragments", Parameter::Unit::count, "1", "parts of the model, averaged in turn", 1,
            kMostSteps},
           {"delay", Parameter::Unit::count, "0", "steps of training while an average travels", 0,
            kMostSteps},
           {"mix", Parameter::Unit::number, "0.5",
            "part of its own weights that a worker keeps when a delayed average arrives", 0, 1}},
      .synchronous = false,
      .equal_replicas = false,
      .compresses = true,
      .own_moments = true,
      .local_batch = true,
      .periodic = true,
      .make = make,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::training::strategy_catalog
