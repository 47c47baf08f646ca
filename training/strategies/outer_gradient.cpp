#include "training/strategies/outer_gradient.hpp"

namespace arlab::training {

OuterGradient::OuterGradient(const StrategyContext& context, int number,
                             const VariableRange& variables)
    : s_(context), number_(number) {
  const auto mine =
      s_.parameters.variables().subspan(variables.first, variables.end - variables.first);
  begin_ = mine.front().offset;
  TensorShapes layout;
  for (const Variable& v : mine) {
    elements_ += v.elements;
    layout.push_back(matrix_of(v, 0, v.elements));
  }
  if (!s_.options.gradients.compressor) return;
  codes_.emplace(s_.exchange, s_.options.gradients, s_.parameters.variables());
  aggregator_ = codes_->make(layout, s_.exchange.communicator());
}

void OuterGradient::start(Count step, std::span<float> change) {
  change_ = change;
  const CollectiveId id{step, number_, 0, Phase::weights};
  in_progress_ = true;
  if (!codes_ && s_.ranks > 1)
    ticket_ = s_.exchange.start(id, change);
  else if (codes_)
    ticket_ = s_.exchange.start(id, [this, id](collectives::CountingCommunicator& c) {
      codes_->run(c, aggregator_, id, change_);
    });
}

void OuterGradient::finish() {
  in_progress_ = false;
  if (!codes_ && s_.ranks == 1) return;
  s_.exchange.wait(ticket_);
  if (codes_) return;  // they are averaged already
  const float share = 1 / static_cast<float>(s_.workers);
  for (float& x : change_) x *= share;
}

void OuterGradient::save(Strategy::State& into) {
  if (codes_) into[name()] = save_state(aggregator_.visit_state);
}

void OuterGradient::restore(Strategy::State& from) {
  if (codes_) restore_state(aggregator_.visit_state, from[name()]);
}

}  // namespace arlab::training
