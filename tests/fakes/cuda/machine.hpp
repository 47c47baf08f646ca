// The stand-in's machine: devices, their memory, what was counted, and what was done wrong.
//
// Nothing runs by itself. Work that is enqueued becomes tasks (tasks.hpp), which any thread of the
// host runs while it waits, one at a time, in an order drawn at random from those that streams,
// events, graphs and messages allow. What CUDA or NCCL leave undefined, or would hang at, is a
// problem; a program that ends with problems or leaks exits with status 1.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/cuda/fake_cuda.hpp"

namespace arlab::fake_cuda {

constexpr int kHost = -1;

struct Allocation {
  std::size_t size = 0;
  int device = kHost;  ///< kHost: pinned
  std::uint64_t id = 0;
  int process = 0;  ///< 0: the program, outside of any Process
  int file = -1;    ///< of a process: behind its pages
};

/// Memory of another process, as one has opened it.
struct OpenMemory {
  std::uint64_t id = 0;  ///< of the allocation
  int process = 0;       ///< that has opened it
  std::size_t size = 0;
  int count = 0;
};

class Machine {
 public:
  Machine();

  std::mutex mutex;  // every call holds it, but for waits
  Options options;
  Counters counted;
  std::vector<std::string> wrong;
  std::minstd_rand random;
  bool broken = false;  // after a deadlock nothing works
  bool eager_loading = false;
  std::map<const std::byte*, Allocation> memory;
  std::map<void*, OpenMemory> opened;   // by address
  std::vector<std::size_t> used;        // bytes of each device
  std::set<std::pair<int, int>> peers;  // which reads which
  std::set<int> contexts;
  std::set<std::pair<const void*, int>> loaded;  // kernels, and the device
  std::map<std::string, long> alive;             // handles of each kind

  /// Notes what was wrong, and prints it.
  void complain(const std::string& what);
  bool one_in(unsigned many) { return random() % many == 0; }

  /// The allocation with these bytes; null: none has its first. Complains if it ends before them.
  const Allocation* find(const void* data, std::size_t bytes, const char* use);
  bool reaches(int device, const Allocation& allocation) const {
    return allocation.device == kHost || allocation.device == device ||
           peers.contains({device, allocation.device});
  }
};

Machine& machine();

/// The device of this thread's calls.
int& current_device();

/// The process of this thread.
int& current_process();
/// Pages of a process, which others can map; null if there are none left.
void* map_pages(std::size_t bytes, int& file);
void unmap_pages(void* data, std::size_t bytes);
/// Complains if another process still has this memory open.
void expect_closed(const Allocation& allocation);

/// Keeps the code for cudaGetLastError().
cudaError_t returned(cudaError_t code);

}  // namespace arlab::fake_cuda
