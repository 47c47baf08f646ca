#include "tests/fakes/cuda/machine.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "tests/fakes/cuda/tasks.hpp"

namespace arlab::fake_cuda {
namespace {

Options from_environment() {
  Options options;
  const char* const text = std::getenv("ARLAB_FAKE_CUDA");
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    const std::string key = word.substr(0, at);
    const long value =
        at == std::string::npos ? -1 : std::strtol(word.c_str() + at + 1, nullptr, 10);
    if (key == "devices") {
      options.devices = static_cast<int>(value);
    } else if (key == "peers") {
      options.peers = value != 0;
    } else if (key == "capability") {
      options.capability = static_cast<int>(value);
    } else if (key == "multiprocessors") {
      options.multiprocessors = static_cast<int>(value);
    } else if (key == "resident_threads") {
      options.resident_threads = static_cast<int>(value);
    } else if (key == "ipc") {
      options.ipc = value != 0;
    } else if (key == "seed") {
      options.seed = static_cast<std::uint32_t>(value);
    } else if (key == "frees_wait") {
      options.frees_wait = value != 0;
    } else {
      std::fprintf(stderr, "ARLAB_FAKE_CUDA has no '%s'\n", key.c_str());
      std::exit(2);
    }
  }
  return options;
}

void begin(Machine& m, const Options& options) {
  m.options = options;
  m.random.seed(options.seed);
  m.counted = {};
  m.broken = false;
  m.used.assign(static_cast<std::size_t>(options.devices), 0);
  m.peers.clear();
  m.contexts.clear();
  m.loaded.clear();
  const char* const loading = std::getenv("CUDA_MODULE_LOADING");
  m.eager_loading = loading && std::string(loading) == "EAGER";
}

/// Looks, as the last of a program, for what it has left behind.
struct AtEnd {
  ~AtEnd() {
    Machine& m = machine();
    if (!m.broken)
      if (const std::string left = alive(); !left.empty()) m.complain("left at the end: " + left);
    if (m.wrong.empty()) return;
    std::fprintf(stderr, "CUDA stand-in: %zu problems, ARLAB_FAKE_CUDA seed %u\n", m.wrong.size(),
                 m.options.seed);
    std::fflush(nullptr);
    ::_exit(1);
  }
};

}  // namespace

Machine::Machine() { begin(*this, from_environment()); }

Machine& machine() {
  static Machine* const only = new Machine;  // lives longer than all static objects
  static const AtEnd at_end;
  return *only;
}

void Machine::complain(const std::string& what) {
  if (wrong.size() < 20) std::fprintf(stderr, "CUDA stand-in: %s\n", what.c_str());
  wrong.push_back(what);
}

const Allocation* Machine::find(const void* data, std::size_t bytes, const char* use) {
  const auto* const first = static_cast<const std::byte*>(data);
  auto block = memory.upper_bound(first);
  if (block == memory.begin()) return nullptr;
  --block;
  if (first >= block->first + block->second.size) return nullptr;
  if (first + bytes > block->first + block->second.size)
    complain(std::string(use) + " reaches beyond its memory");
  return &block->second;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

Counters counters() {
  const std::lock_guard lock(machine().mutex);
  Counters all = machine().counted;
  all.contexts = static_cast<long>(machine().contexts.size());
  for (const std::size_t bytes : machine().used) all.memory += bytes;
  return all;
}

const Options& options() { return machine().options; }

void restart(const Options& options) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (m.broken) {  // what hung cannot be finished
    m.memory.clear();
    m.opened.clear();
    m.alive.clear();
    forget_tasks();
  }
  begin(m, options);
}

std::vector<std::string> take_problems() {
  const std::lock_guard lock(machine().mutex);
  return std::exchange(machine().wrong, {});
}

std::string alive() {
  Machine& m = machine();
  std::map<std::string, long> all = m.alive;
  all["opened memories"] = static_cast<long>(m.opened.size());
  for (const auto& [data, block] : m.memory)
    ++all[block.device == kHost ? "pinned blocks" : "blocks of device memory"];
  std::string text;
  for (const auto& [kind, count] : all)
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  return text;
}

}  // namespace arlab::fake_cuda
