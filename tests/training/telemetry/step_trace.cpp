#include "training/telemetry/step_trace.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Kind = StepSpan::Kind;

const std::vector<StepSpan> kStep{
    {Kind::compute, 0, "forward", 3, 0, 10.0, 10.2},
    {Kind::compute, 0, "backward", 3, 0, 10.2, 10.6},
    {Kind::communicate, 0, "bucket 0", 3, 4096, 10.3, 10.5},
    {Kind::communicate, 0, "bucket 1", 3, 1024, 10.4, 10.7},  // while bucket 0 is in progress
    {Kind::communicate, 0, "bucket 2", 3, 1024, 10.5, 10.8},
    {Kind::input, 1, "batch", 3, 0, 9.5, 10.0},
};

// Returns the spans by place, such as "worker 0/computation/forward", from process and thread
// names.
std::map<std::string, Json> spans_by_place(const Json& trace) {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> threads;
  std::map<std::string, Json> spans;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] == "M" && e["name"] == "process_name") processes[e["pid"]] = e["args"]["name"];
    if (e["ph"] == "M" && e["name"] == "thread_name")
      threads[{e["pid"], e["tid"]}] = e["args"]["name"];
  }
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X")
      spans[processes.at(e["pid"]) + '/' + threads.at({e["pid"], e["tid"]}) + '/' +
            e["name"].get<std::string>()] = e;
  return spans;
}

}  // namespace

TEST_CASE("a step becomes threads of workers, overlapping spans get separate threads") {
  const Json trace = make_trace(kStep, {{"model", "mlp"}});
  CHECK(trace["otherData"]["model"] == "mlp");
  const auto spans = spans_by_place(trace);
  REQUIRE(spans.size() == 6);
  const Json& backward = spans.at("worker 0/computation/backward");
  CHECK(backward["ts"].get<double>() == Approx(0.7e6));  // after the begin of the first span
  CHECK(backward["dur"].get<double>() == Approx(0.4e6));
  CHECK(backward["args"] == Json{{"step", 3}});
  CHECK(spans.at("worker 0/communication/bucket 0")["args"]["bytes"] == 4096);
  CHECK(spans.count("worker 0/communication 2/bucket 1"));
  CHECK(spans.count("worker 0/communication/bucket 2"));  // the thread is free again
  CHECK(spans.at("worker 1/input/batch")["ts"] == 0);
}

TEST_CASE("no spans give a trace without events") {
  CHECK(make_trace({}, Json::object())["traceEvents"].empty());
}

TEST_CASE("encoding and decoding preserve spans") {
  const std::vector<StepSpan> back = decode_spans(encode_spans(kStep));
  REQUIRE(back.size() == kStep.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    CHECK(back[i].kind == kStep[i].kind);
    CHECK(back[i].worker == kStep[i].worker);
    CHECK(back[i].name == kStep[i].name);
    CHECK(back[i].step == kStep[i].step);
    CHECK(back[i].bytes == kStep[i].bytes);
    CHECK(back[i].begin == kStep[i].begin);
    CHECK(back[i].end == kStep[i].end);
  }
  for (const char* text : {"", "[[", "[[1]]", "[[3,0,\"x\",0,0,0,0]]", "[[0,0,1,0,0,0,0]]", "[1]"})
    CHECK(
        failure([&] { decode_spans(text); }).starts_with("2: cannot read the spans of a worker ("));
}
