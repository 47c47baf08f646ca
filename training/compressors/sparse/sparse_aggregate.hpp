// Sparse codes that are summed on their way instead of collected: top-k, threshold and DGC over the
// two sparse allreduces.
#pragma once

#include <memory>

#include "training/compressors/aggregate.hpp"

namespace arlab::training {

enum class SparsePath { doubling, balanced };

/// As make_aggregator(). Balanced: of the sum only about as many entries come back as one rank
/// sent; what a rank sent of the others is given back to its residual. Throws Error(usage) for
/// compressors whose codes are not sparse, and for values as halves.
Aggregator make_sparse_aggregator(const CompressorChoice& choice,
                                                   const TensorShapes& layout, SparsePath path,
                                                   const Routes& routes = {});

}  // namespace arlab::training
