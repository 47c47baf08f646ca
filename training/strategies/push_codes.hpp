// PushCodes: encodes gradients for parameter servers, with one compressor per variable.
//
// A worker's compressors keep residuals; a server's only decode. Pushes are compressed, pulls are
// not: errors in the weights would persist.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/exchange/gradient_exchange.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

/// Returns how the choice encodes a gradient for a server: by any aggregation except an allreduce
/// of several passes. Throws Error(usage) if it has no other.
Aggregation push_aggregation(const CompressorChoice& choice);

class PushCodes {
 public:
  /// Throws Error(usage) if the compressor's codes cannot be pushed.
  PushCodes(const GradientOptions& options, std::span<const Variable> variables, Rank workers);

  /// Encodes the variable's gradient for a worker's push (counted from 0), scaled up to that of the
  /// worker's own batch. The code stays valid until the variable's next call.
  std::span<std::byte> encode(std::size_t variable, std::span<float> gradient, Rank worker,
                              Count push);
  /// Returns the size of that code.
  Count bytes(std::size_t variable, Count push) const;
  /// Replaces `gradient` by the decoded code, which is part of the sum over all workers.
  void decode(std::size_t variable, std::span<const std::byte> code, std::span<float> gradient,
              Rank worker, Count push);
  /// Turns the sum of all decoded gradients into the result.
  void finish(std::size_t variable, std::span<float> sum, Count push);

  GradientExchange::State state();
  void restore(const GradientExchange::State& state);

  /// Returns why codes cannot be pushed; empty if they can.
  static std::string unsupported_reason(const GradientOptions& options);

 private:
  EncodeContext context(std::size_t variable, Rank worker, Count push) const;

  GradientOptions options_;
  std::vector<std::string> names_;
  std::vector<TensorShapes> layouts_;  // by variable
  Rank workers_;
  std::vector<std::unique_ptr<Compressor>> compressors_;  // by variable
};

}  // namespace arlab::training
