// Error feedback: adds what an encoding lost to the next gradient, so that nothing is lost for
// good.
//
// p = g + e; send C(p); e = p - decode(C(p)). Seide et al., Interspeech 2014; Stich et al., NeurIPS
// 2018; Karimireddy et al., ICML 2019.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// Wraps a compressor so that all sent codes, decoded, plus the residual equal the sum of the
/// gradients, up to rounding. Drops residuals that are not finite, so that a step with NaN or
/// infinite gradients, which its code shows, does not spoil later steps. `kernels`: the
/// compressor's.
std::unique_ptr<Compressor> with_error_feedback(std::unique_ptr<Compressor> inner, Count elements,
                                                SharedVectorKernels kernels);

}  // namespace arlab::training
