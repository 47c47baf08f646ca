// Step trace: what each worker computed and communicated in a training run, and when.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/io/json.hpp"

namespace arlab::training {

/// An interval of a worker's time.
struct StepSpan {
  enum class Kind : std::uint8_t { input, compute, communicate };
  Kind kind = Kind::compute;
  Rank worker = 0;
  std::string name;  ///< "forward", "bucket 2"
  Count step = 0;
  Count bytes = 0;   ///< sent; 0 if nothing was sent
  double begin = 0;  ///< seconds on a clock that all workers share approximately
  double end = 0;
};

/// Encodes spans as text, for sending them to the worker that writes the trace, and decodes them.
/// Throws Error(usage) for an invalid text.
std::string encode_spans(std::span<const StepSpan> spans);
std::vector<StepSpan> decode_spans(std::string_view text);

/// Makes a trace for Perfetto: one process per worker, with threads for input, computation and
/// communication. Overlapping communications of one worker get separate threads. Times count from
/// the begin of the first span.
Json make_trace(std::span<const StepSpan> spans, Json about);

}  // namespace arlab::training
