// The stand-in for CUDA and NCCL, for tests that ask what it saw. It needs none of CUDA's headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arlab::fake_cuda {

/// As given by the environment: ARLAB_FAKE_CUDA="devices=2 peers=0 multiprocessors=132 seed=3
/// frees_wait=0".
struct Options {
  int devices = 1;
  bool peers = true;
  int capability = 90;      ///< 86 is 8.6
  int multiprocessors = 2;  ///< few, so that loops over the grid take several turns
  /// Of a multiprocessor, in cooperative grids: few, because each is a fiber.
  int resident_threads = 256;
  std::uint32_t seed = 1;  ///< of every order
  /// Whether cudaFree and cudaMalloc wait for the device and its peers: some drivers do.
  bool frees_wait = true;
  std::size_t memory = std::size_t{1} << 30;  ///< bytes of each device
  bool ipc = true;                            ///< between processes
  bool windows = true;                        ///< whether NCCL registers memory
  /// Of the host's time without a call, until the device's clock passes although another process
  /// could still start what a kernel waits for.
  double still_seconds = 30;
};

/// What has happened so far.
struct Counters {
  long kernels = 0, memcpys = 0, records = 0, waits = 0;  ///< done, also within graphs
  long graph_launches = 0, launches = 0;                  ///< calls of the host that start work
  long groups = 0, messages = 0, captured_groups = 0;
  long messages_aligned = 0;  ///< both ends on 16 bytes
  long contexts = 0;          ///< devices that were opened
  long late_loads = 0;        ///< kernels whose first launch loads them while the device works
  long lone_calls = 0;        ///< of NCCL outside of a group
  long windowed = 0;          ///< allreduces of NCCL with all ranks' memory in windows
  std::size_t memory = 0;     ///< bytes of all devices that are allocated now
};

Counters counters();
const Options& options();

/// Returns the options with another number of devices.
inline Options with_devices(int devices) {
  Options changed = options();
  changed.devices = devices;
  return changed;
}

/// While it lives, this thread is a process: its device memory is reached by others, and it reaches
/// theirs, at another address, through IPC handles alone.
class Process {
 public:
  Process();
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// It ends without freeing or closing anything more, as when it is killed: the system does.
  void die() { dies_ = true; }

 private:
  bool dies_ = false;
};

/// Begins anew, with other options. Nothing may be alive.
void restart(const Options& options);

/// Returns what was wrong so far, and forgets it.
std::vector<std::string> take_problems();
/// What is alive, such as "2 streams"; empty if nothing is.
std::string alive();

}  // namespace arlab::fake_cuda
