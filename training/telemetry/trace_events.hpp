// Trace events: the JSON that Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing) open: spans
// of time in the threads of processes, arrows between them, and numbers over time.
//
// The Trace Event Format, Google, 2016. Every trace of this program is written by it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "training/io/json.hpp"

namespace arlab::training {

class TraceEvents {
 public:
  void process(int process, const std::string& name);
  void thread(int process, int thread, const std::string& name);

  struct Where {
    int process = 0;
    int thread = 0;
  };
  /// Times are microseconds. `about` is shown beside a span that was clicked on.
  void span(Where where, const std::string& name, double begin, double duration, Json about);

  /// Two ends with the same number are joined by an arrow between the spans that lie there.
  enum class End { start, finish };
  void arrow(End end, Where where, std::int64_t number, double time);

  /// From `time` on, a number that is drawn over time, in a track of its own.
  void counter(int process, const std::string& track, double time, const std::string& what,
               double value);

  /// The whole file. `about` is shown as the trace's own data.
  Json json(Json about) &&;

 private:
  Json events_ = Json::array();
};

}  // namespace arlab::training
