// How long a simulation takes: the number of messages, times what one of them costs in each model.
#pragma once

#include "bench/simulate/command.hpp"

namespace arlab::bench {

/// A configuration, as far as its simulation's time depends on it.
struct SimulatedLoad {
  double messages = 0;   ///< of the ranks that are simulated
  double packets = 0;    ///< links that packets cross, in models with packets
  double part = 1;       ///< of the ranks, that is simulated
  double in_flight = 0;  ///< the most messages that can be on their way together
  double memory = 0;     ///< bytes
};

/// Returns the number of links that packets cross; 0 if the model has no packets.
double packets_of(const SimulateCommand& command, const Config& config, const Record& record);

/// Returns the seconds that one run probably takes on a core: within about a factor of two, but if
/// messages could share links and do not, it takes less. `record`: planned.
double duration(const SimulateCommand& command, const Config& config, const Record& record,
                const SimulatedLoad& load);

}  // namespace arlab::bench
