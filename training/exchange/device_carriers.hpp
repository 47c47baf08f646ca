// Carriers of codes that lie in a device's memory.
#pragma once

#include "collectives/executor.hpp"
#include "training/compressors/code_carrier.hpp"
#include "training/compressors/vector_kernels.hpp"

namespace arlab::training {

/// Over the network that joins the devices. The kernels' and the executor's device are the same;
/// both outlive it. Its exchange() throws Error(usage) unless the executor exchanges() on the
/// device.
CodeCarrier device_carrier(const VectorKernels& kernels, collectives::Executor& executor,
                           const Routes& routes);

/// Through host memory and a communicator. Both outlive it.
CodeCarrier staged_carrier(const VectorKernels& kernels, collectives::Communicator& communicator,
                           const Routes& routes);

}  // namespace arlab::training
