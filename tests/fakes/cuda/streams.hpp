// Streams, events and captures of the stand-in.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/cuda/machine.hpp"
#include "tests/fakes/cuda/tasks.hpp"

namespace arlab::fake_cuda {

/// A point that work has reached, and when.
struct Mark {
  Tasks after;      // what the point follows
  double when = 0;  // nanoseconds, of a timed event that is done
};

struct Node {
  int device = 0;
  Work work;
  std::vector<std::size_t> after;
  Event* marks = nullptr;  // an event that each launch records
  std::string kind;
  std::shared_ptr<long> users;  // of the communicator of a group: executable graphs that have it
};

struct Capture {
  std::vector<Node> nodes;
  Stream* origin = nullptr;
  bool open = true;
};

struct Stream {
  int device = 0;
  bool is_alive = true;
  Tasks after;                       // what the next work follows
  std::shared_ptr<Capture> capture;  // while captured
  std::vector<std::size_t> captured_after;
  std::string held_by;  // a call of NCCL that is still in progress on this stream
};

struct Event {
  int device = 0;
  bool is_timed = false, is_alive = true;
  std::shared_ptr<Mark> mark;        // recorded last in a stream,
  std::shared_ptr<Capture> capture;  // or in a capture, after
  std::vector<std::size_t> captured_after;
};

struct Graph {
  std::vector<Node> nodes;
  bool is_alive = true;
};

struct GraphExec {
  std::vector<Node> nodes;
  Tasks last;
  bool is_alive = true;
};

/// The stream of a handle; null is the device's own. Null if it is not alive, which is a problem.
Stream* find_stream(cudaStream_t handle, const char* call);

/// Adds work to a stream, or to its capture.
void enqueue(Stream& stream, const std::string& kind, Work work, Event* marks = nullptr);

/// Makes a handle of a kind that is looked for at the end.
template <class T>
T* made(const char* kind) {
  static auto* const all =
      new std::vector<std::unique_ptr<T>>;  // kept, so that a use after the end is noticed
  ++machine().alive[kind];
  all->push_back(std::make_unique<T>());
  return all->back().get();
}
template <class T>
bool unmade(T* handle, const char* kind) {
  if (!handle || !handle->is_alive) {
    machine().complain(std::string("one of the ") + kind + " was destroyed twice, or never made");
    return false;
  }
  handle->is_alive = false;
  --machine().alive[kind];
  return true;
}

}  // namespace arlab::fake_cuda
