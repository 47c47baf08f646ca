// PushCodes: gradients as codes on their way to parameter servers, a compressor a variable.
//
// A worker has one for all variables, and keeps residuals in it; a server has one to decode with.
// Only what is pushed is compressed: what is pulled are weights, in which every error would stay.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "training/exchange/gradient_exchange.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

/// Returns how the choice encodes a gradient for a server: by any aggregation except an allreduce of
/// several passes. Throws Error(usage) if it has no other.
Aggregation push_aggregation(const CompressorChoice& choice);

class PushCodes {
 public:
  /// Throws Error(usage) for a compressor whose codes cannot be pushed.
  PushCodes(const GradientOptions& options, std::span<const Variable> variables, Rank workers);

  /// Of the variable's gradient at a worker's push (from 0), which is scaled up to that of its own
  /// batch; the code is valid until the next one of the variable.
  std::span<std::byte> encode(std::size_t variable, std::span<float> gradient, Rank worker,
                              Count push);
  /// How long it is.
  Count bytes(std::size_t variable, Count push) const;
  /// gradient = what the code stands for, a part of the sum over all workers.
  void decode(std::size_t variable, std::span<const std::byte> code, std::span<float> gradient,
              Rank worker, Count push);
  /// The last touch on that sum.
  void finish(std::size_t variable, std::span<float> sum, Count push);

  GradientExchange::State state();
  void restore(const GradientExchange::State& state);

  /// Why codes cannot be pushed; empty if they can.
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
