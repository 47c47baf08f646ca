#include "training/profiles/trace_events.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "training/io/json.hpp"

namespace arlab::training {
namespace {

constexpr double kLongestTrace = 1e18;  // us

[[noreturn]] void refuse_trace(const std::string& file, const std::string& what) {
  fail(Blame::usage, "trace " + file + ": " + what);
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

double event_time(const Json& event, const char* key, const std::string& file) {
  const auto found = event.find(key);
  if (found != event.end() && found->is_number())
    if (const double value = found->get<double>(); std::abs(value) <= kLongestTrace) return value;
  refuse_trace(file, "event '" + text_of(event, "name") + "' has no number '" + key +
                         "': export the trace again");
}

std::string external_id(const Json& event) {
  const auto arguments = event.find("args");
  if (arguments == event.end() || !arguments->is_object()) return "";
  const std::string id = text_of(*arguments, "External id");
  return id.empty() ? text_of(*arguments, "external id") : id;
}

void read_shapes(const Json& event, TraceOperator& op) {
  const auto arguments = event.find("args");
  if (arguments == event.end() || !arguments->is_object()) return;
  const auto shapes = arguments->find("Input Dims");
  if (shapes == arguments->end() || !shapes->is_array()) return;
  op.has_shapes = true;
  for (const Json& shape : *shapes) {
    op.shapes.emplace_back();
    if (!shape.is_array()) continue;
    for (const Json& n : shape)
      op.shapes.back().push_back(n.is_number_integer() ? n.get<Count>() : -1);
  }
  for (const char* key : {"Input type", "Input Types"})
    if (const auto types = arguments->find(key); types != arguments->end() && types->is_array() &&
                                                 !types->empty() && types->front().is_string())
      op.type = types->front().get<std::string>();
}

bool is_marked_step(const TraceOperator& op) { return op.name.starts_with("ProfilerStep#"); }

}  // namespace

TraceOperators read_trace(std::string_view json, const std::string& file) {
  const std::optional<Json> parsed = parse_json(json);
  if (!parsed) refuse_trace(file, "it is not JSON: export it again, or unpack it");
  if (!parsed->is_object() || !parsed->contains("traceEvents") ||
      !(*parsed)["traceEvents"].is_array())
    refuse_trace(
        file,
        "it has no list 'traceEvents': export it with torch.profiler of a PyTorch that has "
        "Kineto");
  TraceOperators trace;
  std::map<std::string, std::pair<std::string, double>> launch_of;  // thread and time by id
  std::vector<std::pair<std::string, double>> device_work;          // id and duration
  for (const Json& event : (*parsed)["traceEvents"]) {
    if (!event.is_object() || text_of(event, "ph") != "X") continue;
    const std::string category = lower(text_of(event, "cat"));
    const bool is_kernel =
        category == "kernel" || category.ends_with("memcpy") || category.ends_with("memset");
    if (is_kernel) {
      device_work.emplace_back(external_id(event), event_time(event, "dur", file));
    } else if (category == "cpu_op" || category == "operator" || category == "user_annotation") {
      TraceOperator op;
      op.name = text_of(event, "name");
      op.thread = text_of(event, "tid");
      op.begin = event_time(event, "ts", file);
      op.end = op.begin + event_time(event, "dur", file);
      read_shapes(event, op);
      if (const std::string id = external_id(event); !id.empty())
        launch_of[id] = {op.thread, op.begin};
      trace.all.push_back(std::move(op));
    }
  }
  for (const auto& [id, duration] : device_work)
    if (const auto launch = launch_of.find(id); launch != launch_of.end())
      trace.kernels[launch->second.first].push_back({launch->second.second, duration});
  if (!trace.kernels.empty()) {
    trace.device = "GPU";
    const auto devices = parsed->find("deviceProperties");
    if (devices != parsed->end() && devices->is_array() && !devices->empty() &&
        devices->front().is_object() && !text_of(devices->front(), "name").empty())
      trace.device = text_of(devices->front(), "name");
  }
  if (const auto batch = parsed->find("batch"); batch != parsed->end()) {
    if (!batch->is_number_integer() || batch->get<Count>() < 1)
      refuse_trace(file, "'batch' is " + batch->dump() + ": give a whole number of at least 1");
    trace.batch = batch->get<Count>();
  }
  std::stable_sort(trace.all.begin(), trace.all.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto last = std::find_if(trace.all.rbegin(), trace.all.rend(), is_marked_step);
  if (last == trace.all.rend()) return trace;
  const TraceOperator step = *last;
  trace.step_thread = step.thread;
  std::erase_if(trace.all, [&](const TraceOperator& op) {
    return op.begin < step.begin || op.begin >= step.end || is_marked_step(op);
  });
  return trace;
}

double TraceOperators::work(const std::string& thread, double begin, double end) const {
  double sum = 0;
  if (!device.empty()) {
    const auto launched = kernels.find(thread);
    if (launched == kernels.end()) return 0;
    for (const Kernel& kernel : launched->second)
      if (kernel.launched >= begin && kernel.launched < end) sum += kernel.duration;
    return sum;
  }
  double done = begin;  // operators within another one do not count again
  for (const TraceOperator& op : all) {
    const bool counts = op.thread == thread && op.name.find("::") != std::string::npos;
    if (!counts || op.begin < done || op.begin >= end) continue;
    sum += op.end - op.begin;
    done = op.end;
  }
  return sum;
}

}  // namespace arlab::training
