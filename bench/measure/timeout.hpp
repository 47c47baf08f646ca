// The option --timeout: how long ranks wait without any progress.
#pragma once

#include "collectives/patience.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

/// Adds the option; a value becomes the seconds of `patience`. Notes go to stderr.
void add_timeout(CLI::App& command, collectives::Patience& patience);

}  // namespace arlab::bench
