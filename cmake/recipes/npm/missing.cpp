// System calls that Emscripten's library declares and lacks. There is nothing to call: each fails, and
// its caller says what goes without or takes another way.
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>

#include <cerrno>

namespace {

int fail() {
  errno = ENOSYS;
  return -1;
}

}  // namespace

extern "C" {

int sched_getaffinity(pid_t, size_t, cpu_set_t*) { return fail(); }
int sched_setaffinity(pid_t, size_t, const cpu_set_t*) { return fail(); }
int __sched_cpucount(size_t, const cpu_set_t*) { return 1; }  // of an affinity that nobody has
int memfd_create(const char*, unsigned) { return fail(); }
int posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                 char* const[], char* const[]) {
  return ENOSYS;
}

}  // extern "C"
