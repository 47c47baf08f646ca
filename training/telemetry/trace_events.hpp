// TraceEvents: builds the JSON that Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing) open:
// time spans in threads of processes, arrows between them, and numbers over time.
//
// The Trace Event Format, Google, 2016. All traces of this program use it.
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
  /// Times are in microseconds. Viewers show `about` for the selected span.
  void span(Where where, const std::string& name, double begin, double duration, Json about);

  /// Draws an arrow between the spans at two ends with the same number.
  enum class End { start, finish };
  void arrow(End end, Where where, std::int64_t number, double time);

  /// Sets the value of a track at `time`; viewers plot it over time.
  void counter(int process, const std::string& track, double time, const std::string& what,
               double value);

  /// Returns the whole file. Viewers show `about` as the trace's own data.
  Json json(Json about) &&;

 private:
  Json events_ = Json::array();
};

}  // namespace arlab::training
