// central_storage: rank 0 stores the variables; the other ranks compute on copies.
//
// Gradients are reduced to rank 0, which has the only optimizer and so the only moments; then the
// weights are broadcast.
#include <algorithm>

#include "training/strategies/strategy.hpp"

namespace arlab::training::strategy_catalog {
namespace {

class CentralStorage final : public Strategy {
 public:
  explicit CentralStorage(const StrategyContext& context) : s_(context) {}

  void finish_step(const Step& step) override {
    const Route& route = s_.exchange.route();
    s_.exchange.wait(s_.exchange.start({step.number, 0}, s_.parameters.gradients(),
                                       {route, Collective::reduce, 0}));
    if (s_.rank == 0) apply_all(s_, step);
    s_.exchange.wait(s_.exchange.start({step.number, 0, 0, Phase::weights}, s_.parameters.weights(),
                                       {route, Collective::broadcast, 0}));
  }

 private:
  StrategyContext s_;
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<CentralStorage>(context);
}

std::string unsupported_reason(const StrategyContext& context) {
  const Algorithm* const algorithm = context.exchange.route().algorithm;
  if (!algorithm) return "strategy central_storage needs reduce and broadcast: use algorithm tree";
  for (const Collective c : {Collective::reduce, Collective::broadcast}) {
    const Problem problem{.collective = c, .ranks = context.ranks, .elements = 1};
    if (const std::string why = unsupported(*algorithm, problem); !why.empty())
      return "strategy central_storage: " + why + ": use algorithm tree or master_worker";
  }
  return "";
}

}  // namespace

StrategyKind central_storage() {
  return {
      .name = "central_storage",
      .summary =
          "rank 0 has variables and optimizer; reduces gradients to it and broadcasts weights",
      .source = "TensorFlow, tf.distribute.experimental.CentralStorageStrategy",
      .collectives = {Collective::reduce, Collective::broadcast},
      .route = "tree",
      .make = make,
      .unsupported_reason = unsupported_reason,
  };
}

}  // namespace arlab::training::strategy_catalog
