// Sparse codes summed by a sparse allreduce instead of gathered: top-k, threshold and DGC.
#pragma once

#include <memory>

#include "training/compressors/aggregate.hpp"

namespace arlab::training {

enum class SparsePath { doubling, balanced };

/// Makes an aggregator like make_aggregator(). The balanced path returns only about as many entries
/// of the sum as one rank sent; the other entries that a rank sent go back to its residual. Throws
/// Error(usage) for compressors whose codes are not sparse, and for values as float16.
Aggregator make_sparse_aggregator(const CompressorChoice& choice, const TensorShapes& layout,
                                  SparsePath path, const Routes& routes = {});

}  // namespace arlab::training
