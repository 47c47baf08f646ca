// Preloaded into the tests' ranks under MPICH over UCX, which waits by polling without a pause:
// with more ranks than cores, a rank would poll until the scheduler's tick while those that it
// waits for do not run. Here it gives way after a poll that found nothing, as Open MPI does with
// mpi_yield_when_idle.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
