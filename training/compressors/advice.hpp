// Advice: the aggregation that moves the fewest bytes, and whether it beats no compression. The
// sparse allreduces, whose bytes depend on the gradients, are not among them.
//
// Per rank, a dense ring of n floats receives 8n(P-1)/P bytes. A ring of codes of c bytes, or
// requantization, receives 2c(P-1)/P; an all-gather receives c(P-1). So an all-gather beats the
// dense ring only if c P < 8n.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Returns the bytes that one rank receives per step, averaged over ranks, or nothing if they
/// depend on the gradient. `step` matters for compressors that change during training.
std::optional<double> received_bytes(const CompressorChoice& choice, const TensorShapes& layout,
                                     Aggregation aggregation, Rank ranks, Count step);
double dense_bytes(Count elements, Rank ranks);

struct Advice {
  Aggregation aggregation = Aggregation::all_gather;
  std::optional<double> received;  ///< bytes per rank and step after the warm-up
  double dense = 0;
  bool fewer = false;  ///< fewer bytes than dense; false if the size is unknown
  std::string words;   ///< all of this as a sentence
};

/// Returns the aggregation of the kind that receives the fewest bytes; ties go to the first.
/// `units`: the shapes of each code of a step.
Advice choose_aggregation(const CompressorChoice& choice, const std::vector<TensorShapes>& units,
                          Rank ranks);

}  // namespace arlab::training
