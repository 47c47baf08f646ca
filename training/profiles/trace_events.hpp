// TraceOperators: the operators of one training step in a trace, and the work that they did.
//
// What a library for collectives does (NCCL, RCCL, Gloo, ...), on a GPU or a processor, and what
// runs within it, is communication, not work.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// An operator or a marked range of the program; times in microseconds.
struct TraceOperator {
  std::string_view name, thread;
  double begin = 0, end = 0;
  std::vector<std::vector<Count>> shapes;  ///< of its inputs
  std::string_view type;                   ///< of its first input
  bool has_shapes = false;
  bool communicates = false;  ///< or is within an operator that does

  bool encloses(const TraceOperator& other) const {
    return other.thread == thread && other.begin >= begin && other.end <= end;
  }
  bool is_operator() const { return name.find("::") != std::string_view::npos; }
};

struct TraceOperators {
  std::vector<TraceOperator> all;  ///< of the step, by begin; ranges are among them
  std::string_view step;           ///< its name; empty: steps are not marked
  std::string_view step_thread;    ///< that runs the step
  std::string device;              ///< empty: the trace has no kernels
  Count batch = 0;                 ///< as the trace's metadata say; 0: they do not

  /// Returns the work of operators that begin in [begin, end) on the thread: of their kernels, or
  /// on the processor.
  double work(std::string_view thread, double begin, double end) const;

  struct Kernel {
    double launched = 0, duration = 0;
    bool operator<(const Kernel& other) const { return launched < other.launched; }
  };
  std::map<std::string_view, std::vector<Kernel>>
      kernels;  ///< by thread that launched them, by time
  std::map<std::string_view, std::vector<std::size_t>> of_thread;  ///< operators, in `all`

  std::unordered_set<std::string> texts;  ///< that all names refer to
  TraceOperators() = default;
  TraceOperators(TraceOperators&&) = default;
  TraceOperators& operator=(TraceOperators&&) = default;
};

/// Reads the events of the last complete step: with as many gradients as any step, and with the
/// optimizer and the kernels that the complete step before it has. Takes time in proportion to the
/// text. Throws Error(usage) that names `file`.
TraceOperators read_trace(std::string_view json, const std::string& file);

}  // namespace arlab::training
