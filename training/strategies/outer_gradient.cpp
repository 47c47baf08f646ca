#include "training/strategies/outer_gradient.hpp"

#include <cstring>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

constexpr const char* kEncodings = "/encodings";  // after the name of the compressor's state

}  // namespace

std::string refuse_outer_codes(const GradientOptions& options) {
  if (!options.compressor) return "";
  const CompressorKind& kind = *options.compressor->kind;
  const std::string who = "compressor " + std::string(kind.name) + " ";
  if (kind.optimizer != "any")
    return who +
           "contains part of an optimizer, and outer gradients have an optimizer of their own: use "
           "another compressor, or strategy mirrored";
  if (kind.signs_only)
    return who +
           "makes signs, whose magnitude is the learning rate, and outer gradients are changes of "
           "weights, whose magnitude matters: use ef_signsgd, or strategy mirrored";
  return "";
}

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
  codes_.emplace(s_.exchange, s_.options.gradients, std::vector<TensorShapes>{layout});
  aggregator_ = codes_->make(layout, s_.exchange.communicator());
}

void OuterGradient::start(Count step, std::span<float> change) {
  change_ = change;
  const CollectiveId id{step, number_, 0, Phase::weights};
  in_progress_ = true;
  if (!codes_ && s_.ranks > 1)
    ticket_ = s_.exchange.start(id, change);
  else if (codes_) {
    CollectiveId encoding = id;
    encoding.step = encodings_++;
    ticket_ = s_.exchange.start(id, [this, encoding](collectives::CountingCommunicator& c) {
      codes_->run(c, aggregator_, encoding, change_);
    });
  }
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
  if (!codes_) return;
  into[name()] = save_state(aggregator_.visit_state);
  const auto bytes = std::as_bytes(std::span(&encodings_, 1));
  into[name() + kEncodings] = {bytes.begin(), bytes.end()};
}

void OuterGradient::restore(Strategy::State& from) {
  if (!codes_) return;
  restore_state(aggregator_.visit_state, from[name()]);
  const std::vector<std::byte>& saved = from[name() + kEncodings];
  if (saved.size() == sizeof encodings_) std::memcpy(&encodings_, saved.data(), saved.size());
}

}  // namespace arlab::training
