// Advice: which aggregation moves the fewest bytes, and whether it moves fewer than no compression.
//
// A rank receives 8n(P-1)/P bytes from a dense ring of n floats, 2c(P-1)/P from a ring of codes of
// c bytes or from requantising, and c(P-1) from an all-gather. So an all-gather beats the dense
// ring only if c P < 8n.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Bytes that one rank receives in a step, on average over ranks; nothing where only the gradient
/// tells. `step`: of compressors that change as they go.
std::optional<double> received_bytes(const CompressorChoice& choice, const TensorShapes& layout,
                                     Aggregation aggregation, Rank ranks, Count step);
double dense_bytes(Count elements, Rank ranks);

struct Advice {
  Aggregation aggregation = Aggregation::all_gather;
  std::optional<double> received;  ///< bytes a rank and step, once warm-up is over
  double dense = 0;
  bool fewer = false;  ///< than dense, as far as sizes tell
  std::string words;   ///< the above as a sentence
};

/// The one of the kind's aggregations that receives the fewest bytes; the first of equals.
Advice choose_aggregation(const CompressorChoice& choice, const TensorShapes& layout, Rank ranks);

}  // namespace arlab::training
