// TraceOperators: the operators of one training step in a trace, and the work that they did.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// An operator or a marked range of the program; times in microseconds.
struct TraceOperator {
  std::string name, thread;
  double begin = 0, end = 0;
  std::vector<std::vector<Count>> shapes;  ///< of its inputs
  std::string type;                        ///< of its first input
  bool has_shapes = false;

  bool encloses(const TraceOperator& other) const {
    return other.thread == thread && other.begin >= begin && other.end <= end;
  }
};

struct TraceOperators {
  std::vector<TraceOperator> all;  ///< of the last whole step, by begin; ranges are among them
  std::string step_thread;         ///< that runs the step; empty: steps are not marked
  std::string device;              ///< empty: the trace has no kernels
  Count batch = 0;                 ///< as the trace's metadata say; 0: they do not

  /// Returns the work of operators that begin in [begin, end) on the thread: of their kernels, or on
  /// the processor.
  double work(const std::string& thread, double begin, double end) const;

  struct Kernel {
    double launched = 0, duration = 0;
  };
  std::map<std::string, std::vector<Kernel>> kernels;  ///< by thread that launched them
};

/// Reads the events. Throws Error(usage) that names `file`.
TraceOperators read_trace(std::string_view json, const std::string& file);

}  // namespace arlab::training
