// A training run as a trace: what each worker computed and what it communicated, and when.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/io/json.hpp"

namespace arlab::training {

/// A stretch of a worker's time.
struct StepSpan {
  enum class Kind : std::uint8_t { input, compute, communicate };
  Kind kind = Kind::compute;
  Rank worker = 0;
  std::string name;  ///< "forward", "bucket 2"
  Count step = 0;
  Count bytes = 0;   ///< sent; 0 where nothing is
  double begin = 0;  ///< seconds on a clock that all workers share, or nearly so
  double end = 0;
};

/// The spans as integers and text, for sending them to the worker that writes, and back. Throws
/// Error(usage) for a text that is none of it.
std::string encode_spans(std::span<const StepSpan> spans);
std::vector<StepSpan> decode_spans(std::string_view text);

/// For Perfetto: a process a worker, with input, computation and communication as threads in it.
/// Communications of one worker that overlap get threads of their own. Times begin at the first
/// span's.
Json make_trace(std::span<const StepSpan> spans, Json about);

}  // namespace arlab::training
