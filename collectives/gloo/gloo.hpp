// gloo: the allreduces of Gloo, the library below PyTorch's distributed training on CPUs, for
// comparison.
//
// Gloo's headers are included in this folder's .cpp files only.
#pragma once

#include <memory>

#include "collectives/baseline.hpp"
#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// Connects the ranks of `control` by Gloo over TCP: through the loopback interface if they share a
/// machine, else through the interface that the variable GLOO_SOCKET_IFNAME names, or the host's
/// name resolves to. A wait of `patience` seconds without a message is an error; 0: it waits
/// forever. All ranks call it together, and `control` must outlive the call only. Throws
/// Error(environment) if they cannot be connected. Its algorithms have names such as "gloo:ring",
/// and one must be in use.
std::unique_ptr<Baseline> gloo_baseline(Communicator& control, double patience);

}  // namespace arlab::collectives
