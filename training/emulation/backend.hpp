// emulated_backend: emulated ranks as a backend, beside those of the catalog.
#pragma once

#include <functional>

#include "collectives/backends/backend.hpp"

namespace arlab::training {

/// Calls the body on the given number of emulated ranks, on a network of its choice: see
/// on_emulated_ranks().
using RunEmulated =
    std::function<void(Rank ranks, const std::function<void(collectives::Communicator&)>& body)>;

/// Measured times are simulated times. The catalog cannot have it, because it needs a network.
collectives::Backend emulated_backend(RunEmulated run);

}  // namespace arlab::training
