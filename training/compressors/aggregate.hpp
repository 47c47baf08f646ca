// Aggregator: runs the compressed allreduce of one tensor or bucket on one rank, step by step.
//
// It encodes the gradient, exchanges codes by one of the three aggregations over the catalog's
// algorithms, and decodes. Every rank ends with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "training/compressors/code_carrier.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {

struct Aggregator {
  /// Replaces this rank's gradient by the compressor's result; for most compressors that is the
  /// average of all decoded codes. The gradient lies in the memory of the compressor's kernels,
  /// where the last work may be in progress on return. Every rank calls it with the same context
  /// except its rank. Steps count from 0.
  std::function<void(collectives::Communicator&, std::span<float> gradient, const EncodeContext&)>
      run;
  VisitState visit_state;  ///< shows residuals, factors and momentum
};

/// Returns an Aggregator whose state is a T, which has run() and visit_state().
template <class T, class... Arguments>
Aggregator aggregator_of(Arguments&&... arguments) {
  const auto state = std::make_shared<T>(std::forward<Arguments>(arguments)...);
  return {[state](collectives::Communicator& communicator, std::span<float> gradient,
                  const EncodeContext& context) { state->run(communicator, gradient, context); },
          [state](const StateVisitor& visit) { state->visit_state(visit); }};
}

/// Makes the aggregator for rank `me` of `ranks`. `carrier`: of codes in a device's memory; must
/// outlive it; null if codes are made on the host. Throws Error(usage) like make_compressor().
Aggregator make_aggregator(const CompressorChoice& choice, const TensorShapes& layout,
                           Aggregation aggregation, Rank ranks, Rank me, const Routes& routes = {},
                           const CodeCarrier* carrier = nullptr);

}  // namespace arlab::training
