// RawTrace: the events of a trace in the JSON of torch.profiler that say what the program computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "training/profiles/trace_events.hpp"

namespace arlab::training {

inline constexpr std::int64_t kNoId = -1;

/// The prefix of the names of ranges that mark steps.
inline constexpr std::string_view kStepMark = "ProfilerStep#";

struct RawTrace {
  struct Operator {
    TraceOperator what;
    std::int64_t id = kNoId;  ///< by which kernels name it
  };
  struct Kernel {
    std::int64_t id = kNoId;
    double duration = 0;
    bool communicates = false;
  };
  std::vector<Operator> operators;  ///< in the order of the file
  std::vector<Kernel> kernels;
  std::string device_name;
  Count batch = 0;
  std::unordered_set<std::string> texts;
};

/// Reads a trace without holding all of its events. Throws Error(usage) that names `file`.
RawTrace read_raw_trace(std::string_view json, const std::string& file);

}  // namespace arlab::training
