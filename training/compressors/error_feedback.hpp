// Error feedback: what an encoding lost is added to the next gradient, so that nothing is lost for
// good.
//
// p = g + e; send C(p); e = p - decode(C(p)). Seide et al., Interspeech 2014; Stich et al., NeurIPS
// 2018; Karimireddy et al., ICML 2019.
#pragma once

#include <memory>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// What this rank sent so far, decoded, plus the residual is the sum of its gradients, up to
/// rounding. Elements of the residual that are no finite number are dropped, so that a step with
/// NaN or infinite gradients, which its code shows, does not spoil those after it.
std::unique_ptr<Compressor> with_error_feedback(std::unique_ptr<Compressor> inner, Count elements);

}  // namespace arlab::training
