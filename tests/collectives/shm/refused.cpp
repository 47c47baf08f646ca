// A system that refuses process_vm_readv, as a sandbox does: the long messages take the other path,
// and the transport has the reason.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "collectives/mpi/mpi.hpp"
#include "collectives/shm/shared_communicator.hpp"
#include "tests/support/conformance.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

bool refuse_reads() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main() {
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);  // Open MPI would read so, too
  if (!refuse_reads()) {
    std::puts("this system has no seccomp: not tested");
    return 0;
  }
  Mpi mpi;
  Communicator& world = mpi.world();
  const auto shared = shared_communicator(world);
  const bool says_why =
      shared->transport().starts_with("two copies: process_vm_readv: Operation not permitted");
  const Problem problem{.ranks = world.ranks(), .elements = 100'003};
  const conformance::Verdict verdict =
      conformance::run_native(*shared, problem, {DType::float32, Op::sum});
  if (world.rank() == 0)
    std::printf("%s; wrong elements: %lld\n", shared->transport().c_str(),
                static_cast<long long>(verdict.wrong_elements));
  return says_why && verdict == conformance::Verdict{} ? 0 : 1;
}
