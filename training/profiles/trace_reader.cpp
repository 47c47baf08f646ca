#include "training/profiles/trace_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/io/json.hpp"

namespace arlab::training {
namespace {

constexpr double kLongestTrace = 1e18;  // us

// Whether a kernel or an operator of this name belongs to a library for collectives.
bool is_communication(std::string_view name) {
  // Libraries, and the operators by which PyTorch calls them; msccl's and RCCL's kernels have own
  // names.
  static constexpr std::string_view kParts[] = {
      "nccl",      "rccl", "msccl", "oneccl",  "torch_ccl",
      "hccl",      "gloo", "c10d",  "horovod", "record_param_comms",
      "symm_mem::"};
  static constexpr std::string_view kBegins[] = {"mpi:", "ucc:", "xccl:"};
  const std::string text = lower(name);
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](auto part) { return text.find(part) != text.npos; }) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](auto begin) { return text.starts_with(begin); });
}

[[noreturn]] void refuse_trace(const std::string& file, const std::string& what) {
  fail(Blame::usage, "trace " + file + ": " + what);
}

// Receives the parts of the JSON text one by one, and keeps of each event what is needed.
class EventReader : public nlohmann::json_sax<Json> {
 public:
  EventReader(const std::string& file, RawTrace& trace) : file_(file), trace_(trace) {}

  bool found_events() const { return found_events_; }
  std::size_t error_at() const { return error_at_; }

  bool null() override { return value({}); }
  bool boolean(bool is) override { return value({.text = is ? "true" : "false"}); }
  bool number_integer(number_integer_t n) override { return integer(n); }
  bool number_unsigned(number_unsigned_t n) override {
    if (n <= static_cast<number_unsigned_t>(std::numeric_limits<Count>::max()))
      return integer(static_cast<Count>(n));
    return value({.text = std::to_string(n), .number = static_cast<double>(n)});
  }
  bool number_float(number_float_t n, const string_t& text) override {
    return value({.text = text, .number = n});
  }
  bool string(string_t& text) override { return value({.text = text, .is_text = true}); }
  bool binary(binary_t&) override { return value({}); }

  bool start_object(std::size_t) override {
    structure();
    ++depth_;
    if (depth_ == 3 && in_events_) event_ = {};
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) top_ = name;
    if (depth_ == 3 && in_events_) member_ = name;
    if (depth_ == 4 && in_events_) argument_ = member_ == "args" ? name : "";
    if (depth_ == 3 && top_ == "deviceProperties") member_ = name;
    return true;
  }
  bool end_object() override {
    if (depth_ == 3 && in_events_) keep_event();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    structure();
    ++depth_;
    if (depth_ == 2 && top_ == "traceEvents") in_events_ = found_events_ = true;
    if (!in_arguments()) return true;
    if (depth_ == 5 && argument_ == "Input Dims") event_.has_shapes = true;
    if (depth_ == 6 && argument_ == "Input Dims") event_.shapes.emplace_back();
    return true;
  }
  bool end_array() override {
    if (depth_ == 2) in_events_ = false;
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    error_at_ = position;
    return false;
  }

 private:
  struct Value {
    std::string_view text = {};  // as in the file
    std::optional<double> number = {};
    std::optional<Count> whole = {};
    bool is_text = false;
  };
  struct Event {
    std::string phase, category, name, thread, type;
    std::optional<double> begin, duration;
    std::int64_t id = kNoId;
    std::vector<std::vector<Count>> shapes;
    bool has_shapes = false;
  };

  bool in_arguments() const { return in_events_ && depth_ >= 4 && member_ == "args"; }

  bool integer(Count n) {
    return value({.text = std::to_string(n), .number = static_cast<double>(n), .whole = n});
  }

  bool value(const Value& v) {
    if (depth_ == 1 && top_ == "batch") read_batch(v);
    if (depth_ == 3 && top_ == "deviceProperties" && member_ == "name" && v.is_text &&
        trace_.device_name.empty())
      trace_.device_name = v.text;
    if (!in_events_) return true;
    if (depth_ == 3) read_member(v);
    if (in_arguments()) read_argument(v);
    return true;
  }

  // A list or an object where a value is expected.
  void structure() {
    if (depth_ == 1 && top_ == "batch") read_batch({.text = "a structure"});
    if (in_arguments() && argument_ == "Input Dims" && depth_ == 6)
      event_.shapes.back().push_back(-1);
  }

  void read_batch(const Value& v) {
    if (!v.whole || *v.whole < 1)
      refuse_trace(file_, "'batch' is " + std::string(v.text.empty() ? "null" : v.text) +
                              ": give a whole number of at least 1");
    trace_.batch = *v.whole;
  }

  void read_member(const Value& v) {
    if (member_ == "ph") event_.phase = v.text;
    if (member_ == "cat") event_.category = v.text;
    if (member_ == "name") event_.name = v.text;
    if (member_ == "tid") event_.thread = v.text;
    if (member_ == "ts") event_.begin = v.number;
    if (member_ == "dur") event_.duration = v.number;
  }

  void read_argument(const Value& v) {
    if (depth_ == 4 && (argument_ == "External id" || argument_ == "external id")) {
      const auto [end, error] =
          std::from_chars(v.text.data(), v.text.data() + v.text.size(), event_.id);
      if (error != std::errc() || event_.id < 0) event_.id = kNoId;
    } else if (argument_ == "Input Dims") {
      if (depth_ == 5) event_.shapes.emplace_back();  // an input without a shape
      if (depth_ == 6) event_.shapes.back().push_back(v.whole.value_or(-1));
    } else if (depth_ == 5 && event_.type.empty() && v.is_text &&
               (argument_ == "Input type" || argument_ == "Input Types")) {
      event_.type = v.text;
    }
  }

  double time(const std::optional<double>& given, const char* key) const {
    if (given && std::abs(*given) <= kLongestTrace) return *given;
    refuse_trace(file_,
                 "event '" + event_.name + "' has no number '" + key + "': export the trace again");
  }

  std::string_view kept(const std::string& text) { return *trace_.texts.insert(text).first; }

  void keep_event() {
    if (event_.phase != "X") return;
    const std::string category = lower(event_.category);
    if (category == "kernel" || category.ends_with("memcpy") || category.ends_with("memset")) {
      trace_.kernels.push_back(
          {event_.id, time(event_.duration, "dur"), is_communication(event_.name)});
    } else if (category == "cpu_op" || category == "operator" || category == "user_annotation") {
      RawTrace::Operator op;
      op.id = event_.id;
      op.what.name = kept(event_.name);
      op.what.thread = kept(event_.thread);
      op.what.begin = time(event_.begin, "ts");
      op.what.end = op.what.begin + time(event_.duration, "dur");
      op.what.shapes = std::move(event_.shapes);
      op.what.has_shapes = event_.has_shapes;
      op.what.type = kept(event_.type);
      op.what.communicates = is_communication(event_.name);
      trace_.operators.push_back(std::move(op));
    }
  }

  const std::string& file_;
  RawTrace& trace_;
  int depth_ = 0;
  bool in_events_ = false, found_events_ = false;
  std::string top_, member_, argument_;
  Event event_;
  std::size_t error_at_ = 0;
};

}  // namespace

RawTrace read_raw_trace(std::string_view json, const std::string& file) {
  RawTrace trace;
  EventReader reader(file, trace);
  if (!Json::sax_parse(json, &reader))
    refuse_trace(file, reader.error_at() > json.size()
                           ? "it is not JSON: it ends too early, export it again"
                           : "it is not JSON, at byte " + std::to_string(reader.error_at()) +
                                 ": export it again");
  if (!reader.found_events())
    refuse_trace(
        file,
        "it has no list 'traceEvents': export it with torch.profiler of a PyTorch that has Kineto");
  return trace;
}

}  // namespace arlab::training
