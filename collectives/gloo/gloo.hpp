// gloo: the allreduces of Gloo, the library below PyTorch's distributed training on CPUs, for comparison.
//
// Gloo's headers are included in this folder's .cpp files only.
#pragma once

#include "collectives/host/other_library.hpp"

namespace arlab::collectives {

/// Connects the ranks of `control` by Gloo over TCP: through the loopback interface if they share a
/// machine, else through the interface that the variable GLOO_SOCKET_IFNAME names, or the host's name
/// resolves to. A wait of `patience` seconds without a message is an error; 0: it waits forever. All
/// ranks call it together, and `control` must outlive the call only. Throws Error(environment) if they
/// cannot be connected.
OtherLibrary gloo_library(Communicator& control, double patience);

}  // namespace arlab::collectives
