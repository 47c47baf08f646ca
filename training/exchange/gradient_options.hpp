// GradientOptions: the scheduler and the compressor of the gradient exchange.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "training/compressors/codec_cost.hpp"
#include "training/compressors/compressor.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

struct GradientOptions {
  std::string scheduler = "buckets";
  Values scheduling = {};  ///< the scheduler's parameters
  std::optional<CompressorChoice> compressor = {};
  /// How codes are combined: an Aggregation's name; "doubling" or "balanced", the sparse
  /// allreduces; or "auto", the Aggregation that receives the fewest bytes.
  std::string aggregation = "auto";
  std::uint64_t seed = 1;  ///< of random codes
  CodecCost codec = {};    ///< for simulated time only
};

/// Returns all options as text, with all parameters; all ranks must have the same text.
std::string to_string(const GradientOptions& options);

/// The resolved aggregation of codes.
struct CodeRoute {
  std::string way;     ///< as GradientOptions::aggregation, never "auto"
  std::string advice;  ///< a sentence about the bytes that it saves
};
/// Resolves the aggregation for codes of these shapes. Throws Error(usage) if it does not exist or
/// the compressor does not support it.
CodeRoute code_route(const GradientOptions& options, const std::vector<TensorShapes>& units,
                     Rank ranks);
/// The same for a model of these variables, of whose gradients the scheduler makes the codes.
CodeRoute code_route(const GradientOptions& options, std::span<const Variable> variables,
                     Rank ranks);

/// Returns the shape of a part of the variable, which begins at `first`: a matrix if it is whole.
Matrix matrix_of(const Variable& variable, Count first, Count elements);

/// Returns nothing for "auto" and the sparse allreduces.
std::optional<Aggregation> find_aggregation(const std::string& way);

}  // namespace arlab::training
