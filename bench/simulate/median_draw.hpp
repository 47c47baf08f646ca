// The median draw: which of several runs with other random delays stands for all of them.
#pragma once

#include "algorithms/base/time.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/options.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::bench {

struct Draw {
  int number = 0;  ///< for ModelOptions::make()
  Time finish{};   ///< of the slowest rank
};

/// Simulates the configuration with each draw of the model. Returns the one whose finish is the
/// median, of an even number the lower one.
Draw median_draw(const ModelOptions& model, const Config& config,
                 const simulator::SimulateOptions& options);

}  // namespace arlab::bench
