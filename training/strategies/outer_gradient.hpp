// OuterGradient: the change of a fragment's weights, which the workers average, dense or as codes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "training/exchange/code_exchange.hpp"
#include "training/strategies/fragments.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

class OuterGradient {
 public:
  /// Every rank makes the same ones. Throws Error(usage) like CodeExchange.
  OuterGradient(const StrategyContext& context, int number, const VariableRange& variables);
  OuterGradient(const OuterGradient&) = delete;
  OuterGradient& operator=(const OuterGradient&) = delete;

  /// Returns the fragment's part of a vector of the whole model.
  std::span<float> of(std::span<float> whole) const {
    return whole.subspan(static_cast<std::size_t>(begin_), static_cast<std::size_t>(elements_));
  }

  /// Starts to average the change over the workers, in place. Nobody touches it until finish().
  void start(Count step, std::span<float> change);
  void finish();
  bool in_progress() const { return in_progress_; }

  /// What the compressor must keep from step to step. No change may be in progress. restore() takes
  /// a state without the number of encodings, as earlier versions saved.
  void save(Strategy::State& into);
  void restore(Strategy::State& from);

 private:
  std::string name() const { return "outer/" + std::to_string(number_); }

  StrategyContext s_;
  const int number_;
  Count begin_ = 0, elements_ = 0;
  std::optional<CodeExchange> codes_;
  Aggregator aggregator_;
  Count encodings_ = 0;  // of changes, so far
  std::span<float> change_;
  Exchange::Ticket ticket_ = 0;
  bool in_progress_ = false;
};

/// Returns why outer gradients cannot be these codes; empty if they can.
std::string refuse_outer_codes(const GradientOptions& options);

}  // namespace arlab::training
