// counted_run: what one run of a schedule on co-located ranks asks of CUDA, as the stand-in counts
// it.
#pragma once

#include "tests/fakes/cuda/fake_cuda.hpp"
#include "tests/support/on_devices.hpp"

namespace arlab::fake_cuda {

struct CountedRun {
  long kernels = 0, memcpys = 0, graph_launches = 0;
};

/// Runs it once, from the ranks' inputs.
inline CountedRun counted_run(collectives::ColocatedExecutor& on,
                              collectives::ColocatedExecutor::Prepared& prepared,
                              collectives::conformance::Vectors& vectors) {
  vectors.fill();
  on.synchronize();
  const Counters before = counters();
  on.run(prepared);
  on.synchronize();
  const Counters after = counters();
  return {after.kernels - before.kernels, after.memcpys - before.memcpys,
          after.graph_launches - before.graph_launches};
}

}  // namespace arlab::fake_cuda
