// GradientOptions: how gradients travel: by which scheduler, and in what codes.
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
  Values scheduling = {};  ///< of the scheduler's parameters
  std::optional<CompressorChoice> compressor = {};
  /// How codes come together: an Aggregation's name; "doubling" or "balanced", the sparse
  /// allreduces; or "auto": what receives the fewest bytes.
  std::string aggregation = "auto";
  std::uint64_t seed = 1;  ///< of random codes
  CodecCost codec = {};    ///< where time is virtual; elsewhere it takes what it takes
};

/// As text, with all parameters: what ranks must have in common.
std::string text(const GradientOptions& options);

/// By which way codes travel.
struct CodeRoute {
  std::string way;     ///< as GradientOptions::aggregation, never "auto"
  std::string advice;  ///< a sentence about the bytes that it saves
};
/// For a model of these variables. Throws Error(usage) for a way that does not exist, or that the
/// compressor's codes cannot go.
CodeRoute code_route(const GradientOptions& options, std::span<const Variable> variables,
                     Rank ranks);

/// Of a part of the variable that begins at `first`: as a matrix where it is whole.
Matrix matrix_of(const Variable& variable, Count first, Count elements);

/// Nothing for the ways of sparse codes, and for "auto".
std::optional<Aggregation> aggregation_named(const std::string& way);

}  // namespace arlab::training
