// CodeExchange: how the codes of one compressor travel: the aggregation, its collectives, and the time that
// coding takes in simulated time.
#pragma once

#include <span>
#include <string>

#include "training/compressors/aggregate.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/gradient_options.hpp"

namespace arlab::training {

class CodeExchange {
 public:
  /// `options` has a compressor. The exchange must outlive this. Throws Error(usage) if aggregation,
  /// compressor and route do not fit together.
  CodeExchange(Exchange& exchange, const GradientOptions& options,
               std::span<const Variable> variables);

  /// Returns the state of tensors that travel as one code.
  Aggregator make(const TensorShapes& layout, const collectives::Communicator& c) const;

  /// Replaces the data by the average of all ranks' decoded codes. For Exchange::run() and start().
  void run(collectives::Communicator& c, Aggregator& aggregator, const CollectiveId& id,
           std::span<float> data) const;

 private:
  Exchange& exchange_;
  GradientOptions options_;
  std::string way_;  // as CodeRoute::way
};

/// Throws Error(usage) unless the exchange's route can run all of these collectives.
void expect_collectives(const Exchange& exchange, Rank ranks, const std::string& who,
                        std::initializer_list<Collective> needed);

}  // namespace arlab::training
