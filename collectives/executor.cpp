#include "collectives/executor.hpp"

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

void Executor::native_allreduce(std::span<std::byte> data, Operand operand) {
  const auto elements = static_cast<Count>(data.size() / size_of(operand.dtype));
  run_in_place(nullptr, {.ranks = control().ranks(), .elements = elements}, data, operand, 1, 0);
}

Baseline& Executor::other_baseline() {
  fail(Blame::environment,
       "no rows of Gloo on this backend: they run on CPUs, with the backends threads, mpi and shm");
}

DeviceCollectives& Executor::expect_device() const {
  if (DeviceCollectives* const found = on_device()) return *found;
  fail(Blame::usage,
       "this backend reduces vectors in host memory: use the backend nccl or mpi-cuda");
}

Baseline& Executor::baseline_of(const std::string& native) {
  return native.starts_with(kGlooPrefix) ? other_baseline() : baseline();
}

}  // namespace arlab::collectives
