#include "collectives/gpu/device_transport.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {

std::shared_ptr<PeerRun> DeviceTransport::plan(const DeviceSchedule&, std::byte*, std::byte*) {
  fail(Blame::check, "internal error, please report: a plan without kernels that run it");
}

std::vector<std::string> DeviceTransport::native_algorithms() {
  fail(Blame::environment,
       "this backend has no library whose algorithm can be chosen: use the backend mpi or nccl");
}

void DeviceTransport::native_allreduce(std::byte*, Count, Operand, DeviceStream&) {
  fail(Blame::usage, "this backend has no native allreduce: choose an algorithm");
}

std::string DeviceTransport::native_name_for(const Problem& problem) const {
  return problem.collective == Collective::allreduce ? native_name() : "";
}

void DeviceTransport::native_collective(const Problem& problem, std::byte* data, Operand operand,
                                        DeviceStream& stream) {
  if (problem.collective != Collective::allreduce)
    fail(Blame::usage,
         concat("this backend has no native ", name(problem.collective), ": choose an algorithm"));
  native_allreduce(data, problem.elements, operand, stream);
}

}  // namespace arlab::collectives
