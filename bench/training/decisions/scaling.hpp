// How far a model scales: the efficiency of plans on several numbers of GPUs, in a sentence.
#pragma once

#include <string>
#include <vector>

#include "bench/training/profiled/scale_row.hpp"

namespace arlab::bench {

enum class Scaling : std::uint8_t {
  weak,   ///< the batch of a GPU stays
  strong  ///< that of all GPUs together does
};

/// Returns one sentence per model and device: the speed-up over one GPU on each network, and how
/// many GPUs keep 90% of their speed. None of rows with one number of GPUs.
std::vector<std::string> explain_scaling(const std::vector<ScaleRow>& rows, Scaling scaling);

}  // namespace arlab::bench
