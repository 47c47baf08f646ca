// gloo_mesh: connections between all ranks of a communicator, as Gloo wants them.
#pragma once

#include <gloo/rendezvous/context.h>

#include <memory>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// See gloo_baseline().
std::shared_ptr<gloo::Context> gloo_mesh(Communicator& control, double patience);

}  // namespace arlab::collectives
