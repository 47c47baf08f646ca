#include "bench/perf/json.hpp"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <cmath>
#include <filesystem>

#include "bench/results/context.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

std::string quoted_text(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '/')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c > 0x1f && c < 0x7f)
      out += c;
    else
      out += '?';
  }
  return out + '"';
}
std::string flag(bool value) { return value ? "\"true\"" : "\"false\""; }
std::string number(double value) {
  return std::isnan(value) ? std::string("\"nan\"") : fmt::sprintf("%f", value);
}
template <class Integer>
std::string whole(Integer value) {
  return fmt::to_string(value);
}

class Object {
 public:
  Object& add(const char* key, const std::string& value) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", key, value);
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class All, class Text>
std::string list(const All& all, Text text) {
  std::string joined;
  for (const auto& one : all) joined += (joined.empty() ? "" : ",") + text(one);
  return "[" + joined + "]";
}

std::string device(const PerfDevice& d) {
  return Object()
      .add("rank", whole(d.rank))
      .add("group", whole(d.group))
      .add("pid", whole(d.pid))
      .add("hostname", quoted_text(d.host))
      .add("device", whole(d.device))
      .add("device_hex", quoted_text(d.hex))
      .add("device_info", quoted_text(d.info))
      .text();
}

std::string config(const PerfOptions& o, const std::vector<PerfDevice>& devices) {
  Object all;
  all.add("nthreads", whole(o.threads)).add("ngpus", whole(o.gpus));
  all.add("minimum_bytes", whole(o.min_bytes)).add("maximum_bytes", whole(o.max_bytes));
  if (o.step_factor > 1)
    all.add("step_factor", whole(o.step_factor));
  else
    all.add("step_bytes", whole(o.step_bytes));
  all.add("warmup_iters", whole(o.warm_ups)).add("iterations", whole(o.iterations));
  all.add("aggregated_iterations", whole(o.aggregated)).add("validation", whole(o.check));
  all.add("graph", whole(o.graph)).add("blocking_collectives", flag(o.blocking != 0));
  all.add("per_iter_timing", flag(false)).add("per_iter_skip", whole(0));
  all.add("parallel_init", flag(o.parallel_init != 0)).add("devices", list(devices, device));
  return all.text();
}

std::string half(const PerfTime& time, const PerfOptions& o) {
  return Object()
      .add(o.cpu_time != 0 ? "cpu_time" : "time", number(time.us))
      .add("alg_bw", number(time.algbw))
      .add("bus_bw", number(time.busbw))
      .add("nwrong", o.check > 0 ? number(static_cast<double>(time.wrong)) : "null")
      .text();
}

std::string result(const PerfRow& row, const PerfOptions& o, const std::string& what) {
  return Object()
      .add("size", whole(row.shape.size))
      .add("count", whole(row.shape.count))
      .add("type", quoted_text(row.type))
      .add("redop", quoted_text(row.op))
      .add("root", quoted_text(fmt::sprintf("%6d", row.root)))
      .add("out_of_place", half(row.out_of_place, o))
      .add("in_place", half(row.in_place, o))
      .add("actual_iterations", whole(o.iterations))
      .add("experiment_name", quoted_text(what))
      .text();
}

}  // namespace

std::string perf_json(const PerfOptions& o, const PerfReport& report) {
  const PerfSummary& s = report.summary;
  const Object errors = Object().add("count", whole(s.failed)).add("okay", flag(s.failed == 0));
  const Object average =
      Object()
          .add("bandwidth", number(s.average_busbw))
          .add("okay", s.expected_busbw < 0 ? "\"unchecked\"" : flag(!s.too_slow()));
  const auto variable = [](const auto& entry) {
    return quoted_text(entry.first + "=" + entry.second);
  };
  return Object()
      .add("version", "3")
      .add("start_time", quoted_text(report.start_time))
      .add("args", list(o.command, quoted_text))
      .add("env", list(relevant_environment(), variable))
      .add("nccl_version", "0")
      .add("config", config(o, report.devices))
      .add("results",
           list(report.rows, [&](const PerfRow& row) { return result(row, o, report.what); }))
      .add("out_of_bounds", errors.text())
      .add("average_bus_bandwidth", average.text())
      .add("errors", "[]")
      .add("end_time", quoted_text(report.end_time))
      .text();
}

std::string write_perf_json(const std::string& path, const std::string& text) {
  std::string name = path;
  const auto is_taken = [](const std::string& file) {  // a device is written, as it is
    return std::filesystem::is_regular_file(file) || std::filesystem::is_directory(file);
  };
  for (int number = 0; is_taken(name); ++number) name = fmt::format("{}.{}", path, number);
  write_file(name, text);
  return name;
}

}  // namespace arlab::bench
