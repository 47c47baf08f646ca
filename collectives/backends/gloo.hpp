// Gloo beside the algorithms of a backend, also in builds without it.
#pragma once

#include <string>

#include "collectives/host/host_executor.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {

/// Returns why Gloo cannot be used here, and a remedy; empty if it can.
std::string why_no_gloo();

/// Returns what connects ranks by Gloo, or throws why_no_gloo() as Error(environment) when it is
/// called.
ConnectLibrary connect_gloo(const Patience& patience);

}  // namespace arlab::collectives
