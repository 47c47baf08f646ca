#include "training/telemetry/trace_events.hpp"

namespace arlab::training {

void TraceEvents::process(int process, const std::string& name) {
  events_.push_back(
      {{"ph", "M"}, {"pid", process}, {"name", "process_name"}, {"args", {{"name", name}}}});
}

void TraceEvents::thread(int process, int thread, const std::string& name) {
  events_.push_back({{"ph", "M"},
                     {"pid", process},
                     {"tid", thread},
                     {"name", "thread_name"},
                     {"args", {{"name", name}}}});
}

void TraceEvents::span(Where where, const std::string& name, double begin, double duration,
                       Json about) {
  events_.push_back({{"ph", "X"},
                     {"pid", where.process},
                     {"tid", where.thread},
                     {"name", name},
                     {"ts", begin},
                     {"dur", duration},
                     {"args", std::move(about)}});
}

void TraceEvents::arrow(End end, Where where, std::int64_t number, double time) {
  events_.push_back({{"ph", end == End::start ? "s" : "f"},
                     {"bp", "e"},
                     {"pid", where.process},
                     {"tid", where.thread},
                     {"id", number},
                     {"cat", "message"},
                     {"name", "message"},
                     {"ts", time}});
}

void TraceEvents::counter(int process, const std::string& track, double time,
                          const std::string& what, double value) {
  events_.push_back(
      {{"ph", "C"}, {"pid", process}, {"name", track}, {"ts", time}, {"args", {{what, value}}}});
}

Json TraceEvents::json(Json about) && {
  return {{"displayTimeUnit", "ns"},
          {"otherData", std::move(about)},
          {"traceEvents", std::move(events_)}};
}

}  // namespace arlab::training
