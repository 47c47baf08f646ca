// Aggregator: one rank's end of a compressed allreduce of one tensor or bucket, step after step.
//
// Encodes the gradient, has the codes travel by one of the three aggregations over the catalogue's
// algorithms, and decodes. Every rank ends with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Which algorithms carry codes.
struct Routes {
  const Algorithm* allreduce = &find_algorithm("ring");
  const Algorithm* all_gather = &find_algorithm("ring");
  Rank root = 0;  ///< of an allreduce through a master
};

struct Aggregator {
  /// In: this rank's gradient. Out: the compressor's result, which for most is the average of what
  /// the ranks' codes stand for. Every rank calls it with the same occasion but for its rank, and
  /// steps that count from 0.
  std::function<void(collectives::Communicator&, std::span<float> gradient, const EncodeContext&)> run;
  VisitState visit_state;  ///< shows residuals, factors and momentum
};

/// Returns an Aggregator that works on a T with run() and visit_state().
template <class T, class... Arguments>
Aggregator aggregator_of(Arguments&&... arguments) {
  const auto state = std::make_shared<T>(std::forward<Arguments>(arguments)...);
  return {[state](collectives::Communicator& communicator, std::span<float> gradient,
                  const EncodeContext& context) { state->run(communicator, gradient, context); },
          [state](const StateVisitor& visit) { state->visit_state(visit); }};
}

/// For rank `me` of `ranks`. Throws Error(usage) as make_compressor() does.
Aggregator make_aggregator(const CompressorChoice& choice,
                                            const TensorShapes& layout, Aggregation aggregation,
                                            Rank ranks, Rank me, const Routes& routes = {});

}  // namespace arlab::training
