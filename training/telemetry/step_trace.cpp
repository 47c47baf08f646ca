#include "training/telemetry/step_trace.hpp"

#include <algorithm>
#include <map>

#include "algorithms/base/error.hpp"
#include "training/telemetry/trace_events.hpp"

namespace arlab::training {
namespace {

constexpr const char* kKindNames[] = {"input", "computation", "communication"};

// Assigns a span to a thread of its worker: the first free one of its kind. The thread's number
// consists of kind and index, so that kinds stay in order.
class Threads {
 public:
  int thread_of(const StepSpan& span, TraceEvents& events) {
    std::vector<double>& ends = ends_[{span.worker, span.kind}];
    std::size_t i = 0;
    while (i < ends.size() && ends[i] > span.begin) ++i;
    const int kind = static_cast<int>(span.kind), thread = kind * kMax + static_cast<int>(i);
    if (i == ends.size()) {
      if (ends_of_worker_[span.worker]++ == 0)
        events.process(span.worker, "worker " + std::to_string(span.worker));
      events.thread(span.worker, thread,
                    std::string(kKindNames[kind]) + (i > 0 ? ' ' + std::to_string(i + 1) : ""));
      ends.push_back(0);
    }
    ends[i] = span.end;
    return thread;
  }

 private:
  static constexpr int kMax = 1000;
  std::map<std::pair<Rank, StepSpan::Kind>, std::vector<double>> ends_;
  std::map<Rank, int> ends_of_worker_;
};

}  // namespace

std::string encode_spans(std::span<const StepSpan> spans) {
  Json all = Json::array();
  for (const StepSpan& s : spans)
    all.push_back({static_cast<int>(s.kind), s.worker, s.name, s.step, s.bytes, s.begin, s.end});
  return all.dump();
}

std::vector<StepSpan> decode_spans(std::string_view text) {
  const auto json = parse_json(text);
  std::vector<StepSpan> spans;
  try {
    if (!json) fail(Blame::usage, "not JSON");
    for (const Json& s : *json) {
      const int kind = s.at(0).get<int>();
      if (kind < 0 || kind >= static_cast<int>(std::size(kKindNames)))
        fail(Blame::usage, "unknown kind");
      spans.push_back({static_cast<StepSpan::Kind>(kind), s.at(1).get<Rank>(),
                       s.at(2).get<std::string>(), s.at(3).get<Count>(), s.at(4).get<Count>(),
                       s.at(5).get<double>(), s.at(6).get<double>()});
    }
  } catch (const std::exception& error) {
    fail(Blame::usage, std::string("cannot read the spans of a worker (") + error.what() +
                           "): run the same version of arlab on all workers");
  }
  return spans;
}

Json make_trace(std::span<const StepSpan> spans, Json about) {
  std::vector<StepSpan> sorted(spans.begin(), spans.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const StepSpan& a, const StepSpan& b) {
    return a.worker != b.worker ? a.worker < b.worker : a.begin < b.begin;
  });
  double start = sorted.empty() ? 0 : sorted.front().begin;
  for (const StepSpan& s : sorted) start = std::min(start, s.begin);
  TraceEvents events;
  Threads threads;
  for (const StepSpan& s : sorted) {
    Json details{{"step", s.step}};
    if (s.bytes > 0) details["bytes"] = s.bytes;
    events.span({s.worker, threads.thread_of(s, events)}, s.name, (s.begin - start) * 1e6,
                (s.end - s.begin) * 1e6, std::move(details));
  }
  return std::move(events).json(std::move(about));
}

}  // namespace arlab::training
