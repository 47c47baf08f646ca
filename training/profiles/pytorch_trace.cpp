#include "training/profiles/pytorch_trace.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "training/profiles/trace_events.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kHowToRecord =
    "record a whole step with torch.profiler.profile(record_shapes=True), schedule, and backward()";

class TraceImporter {
 public:
  TraceImporter(TraceOperators trace, const std::string& file)
      : trace_(std::move(trace)), file_(file) {}

  ModelProfile profile() {
    find_gradients();
    find_passes();
    for (const TraceOperator* gradient : gradients_) assign(*gradient);
    return assembled();
  }

 private:
  using Shape = std::vector<Count>;

  [[noreturn]] void refuse(const std::string& what) const {
    fail(Blame::usage, "trace " + file_ + ": " + what);
  }

  static std::string text(const Shape& shape) {
    std::string all;
    for (const Count n : shape) all += (all.empty() ? "" : "x") + std::to_string(n);
    return all.empty() ? "1" : all;
  }

  void find_gradients() {
    bool found = false;
    for (const TraceOperator& op : trace_.all) {
      if (op.name != "torch::autograd::AccumulateGrad") continue;
      if (!op.has_shapes || op.shapes.empty())
        refuse("its gradients (AccumulateGrad) have no shapes: " + std::string(kHowToRecord));
      // Of parameters that the step did not use; a number has a type.
      const bool is_undefined = op.shapes.front().empty() && op.type.empty();
      if (!is_undefined) gradients_.push_back(&op);
      found |= is_undefined;
    }
    if (!gradients_.empty()) return;
    refuse((trace_.all.empty() ? "it has no operators of the processor, only other events: "
            : found            ? "its gradients (AccumulateGrad) are undefined, without a tensor: "
                               : "it has no gradients (AccumulateGrad): ") +
           std::string(kHowToRecord));
  }

  // The backward pass has its own thread, or begins with an operator of the engine.
  void find_passes() {
    backward_thread_ = gradients_.front()->thread;
    const bool same = trace_.step_thread.empty() || trace_.step_thread == backward_thread_;
    const auto begins = std::find_if(trace_.all.begin(), trace_.all.end(), [&](const auto& op) {
      return op.thread == backward_thread_ &&
             (!same || op.name.starts_with("autograd::engine::evaluate_function"));
    });
    if (begins == trace_.all.end())
      refuse(
          "forward and backward pass cannot be told apart: record it with PyTorch 1.10 or later, "
          "and with torch.profiler.schedule, which marks the steps");
    backward_begin_ = done_ = begins->begin;
    const TraceOperator *outer = nullptr, *range = nullptr;  // which is not part of the model
    for (const TraceOperator& op : trace_.all) {
      if (op.begin >= backward_begin_) break;
      if (op.name.starts_with("Optimizer.") || op.name.starts_with("enumerate(DataLoader)"))
        range = &op;
      if (!op.is_operator() || op.communicates) continue;
      if (!trace_.step_thread.empty() && op.thread != trace_.step_thread) continue;
      if ((outer && outer->encloses(op)) || (range && range->encloses(op))) continue;
      forward_.push_back(outer = &op);
    }
    next_ = forward_.size();
    if (!forward_.empty()) expect_one_pass(forward_.front()->thread);
  }

  // Operators that take parameters between two gradients, and are not of the backward pass, belong
  // to the forward pass of another batch: its gradients would count again.
  void expect_one_pass(std::string_view forward_thread) const {
    const TraceOperator* backward = nullptr;
    for (const TraceOperator& op : trace_.all) {
      if (op.begin >= gradients_.back()->begin) return;
      if (op.name.starts_with("autograd::engine::") && !(backward && backward->encloses(op)))
        backward = &op;
      if (op.begin > gradients_.front()->end && op.thread == forward_thread && op.is_operator() &&
          !op.communicates && !(backward && backward->encloses(op)) && takes_gradient(op))
        refuse(
            "it has several forward and backward passes in a step: record steps of one pass each, "
            "and call prof.step() after each");
    }
  }

  bool takes_gradient(const TraceOperator& op) const {
    return op.name.find("autograd::") == op.name.npos &&
           std::any_of(gradients_.begin(), gradients_.end(), [&](const TraceOperator* gradient) {
             const Shape& shape = gradient->shapes.front();
             return shape.size() >= 2 && takes(op, shape);
           });
  }

  // A linear layer takes its weight transposed.
  static bool takes(const TraceOperator& op, const Shape& shape) {
    return std::any_of(op.shapes.begin(), op.shapes.end(), [&](const Shape& s) {
      return s == shape || (shape.size() == 2 && s == Shape{shape[1], shape[0]});
    });
  }

  // Walks back through the forward pass, as the backward pass does.
  std::size_t operator_of(const Shape& shape) {
    for (std::size_t i = std::min(next_ + 1, forward_.size()); i-- > 0;)
      if (takes(*forward_[i], shape)) return next_ = i;
    for (std::size_t i = forward_.size(); i-- > 0;)
      if (takes(*forward_[i], shape)) return i;
    refuse("no operator of the forward pass takes a tensor of " + text(shape) +
           ", the shape of a gradient: " + std::string(kHowToRecord));
  }

  void assign(const TraceOperator& gradient) {
    const Shape& shape = gradient.shapes.front();
    Count elements = 1;
    for (const Count n : shape)
      if (n < 1 || __builtin_mul_overflow(elements, n, &elements))
        refuse("a gradient has the shape " + text(shape) + ": export the trace again");
    ModelProfile::Part& part = parts_[operator_of(shape)];
    part.tensors.push_back({text(shape), elements});
    part.backward += to_time(1e6 * trace_.work(backward_thread_, done_, gradient.end));
    done_ = gradient.end;
  }

  Count batch() const {
    if (trace_.batch > 0) return trace_.batch;
    const TraceOperator& first = *forward_[parts_.begin()->first];
    if (first.name.starts_with("aten::conv") && first.shapes.front().size() >= 3 &&
        first.shapes.front().front() >= 1)
      return first.shapes.front().front();
    refuse(
        "it does not say the batch: call prof.add_metadata_json(\"batch\", \"64\") before "
        "export_chrome_trace(), or add the key 'batch' beside 'traceEvents'");
  }

  double optimizer_us() const {
    for (const TraceOperator& op : trace_.all)
      if (op.name.starts_with("Optimizer.step#")) return trace_.work(op.thread, op.begin, op.end);
    return 0;
  }

  Bytes gradient_bytes() const {
    const std::string type(gradients_.front()->type);
    for (const TraceOperator* g : gradients_)
      if (g->type != type)
        refuse("its gradients are of types " + type + " and " + std::string(g->type) +
               ", but a profile has one: write a profile by hand");
    if (type == "c10::Half" || type == "c10::BFloat16") return 2;
    if (type.empty() || type == "float") return 4;
    if (type == "double") return 8;
    refuse("its gradients are of type " + type +
           ", which is not known: use float, c10::Half, c10::BFloat16, or double");
  }

  ModelProfile assembled() {
    ModelProfile profile;
    const std::string name = std::filesystem::path(file_).filename().string();
    profile.name = name.substr(0, name.find('.', 1));
    profile.device = trace_.device.empty() ? "the processor of the trace" : trace_.device;
    profile.samples = "samples";
    profile.batch = batch();
    profile.gradient_bytes = gradient_bytes();
    double begin = -1e300;
    for (auto part = parts_.begin(); part != parts_.end(); ++part) {
      const TraceOperator& op = *forward_[part->first];
      const auto following = std::next(part);
      const double end =
          following == parts_.end() ? backward_begin_ : forward_[following->first]->begin;
      part->second.name = std::string(op.name.substr(op.name.rfind(':') + 1)) + "." +
                          std::to_string(profile.layers.size());
      part->second.forward = to_time(1e6 * forward_work(begin, end));
      begin = end;
      std::reverse(part->second.tensors.begin(), part->second.tensors.end());
      std::map<std::string, int> uses;
      for (ModelProfile::Tensor& tensor : part->second.tensors)
        if (const int use = ++uses[tensor.name]; use > 1) tensor.name += "#" + std::to_string(use);
      profile.layers.push_back(std::move(part->second));
    }
    const double optimizer = optimizer_us();
    constexpr double kOverhead = 10e3;  // of small models, which mostly start kernels
    if (optimizer > kOverhead + static_cast<double>(profile.parameters()))
      refuse(concat("its optimizer takes ", std::llround(optimizer), " us for ",
                    profile.parameters(),
                    " parameters, so that others have no gradients in it: ", kHowToRecord));
    profile.optimizer = 1e6 * optimizer / static_cast<double>(profile.parameters());
    const std::string what = std::string(trace_.device.empty() ? "operators" : "kernels") +
                             " of the last complete step in a trace of PyTorch's profiler";
    profile.sources = {{"parameters", "shapes of the gradients in a trace of PyTorch's profiler"},
                       {"forward_us", what},
                       {"backward_us", what},
                       {"optimizer_ps_per_parameter",
                        optimizer > 0 ? what : "0: the trace has no optimizer step"}};
    return profile;
  }

  double forward_work(double begin, double end) const {
    double sum = 0;
    for (const TraceOperator* op : forward_)
      if (op->begin >= begin && op->begin < end)
        sum += trace_.work(op->thread, op->begin, std::max(op->end, op->begin + 1e-3));
    return sum;
  }

  const TraceOperators trace_;
  const std::string& file_;
  std::vector<const TraceOperator*> gradients_;  // in the order of the backward pass
  std::vector<const TraceOperator*> forward_;    // not within others
  std::string_view backward_thread_;
  double backward_begin_ = 0;
  double done_ = 0;                                  // end of the last gradient
  std::size_t next_ = 0;                             // operator of the last gradient
  std::map<std::size_t, ModelProfile::Part> parts_;  // by operator
};

}  // namespace

bool is_pytorch_trace(std::string_view json) {
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  if (first == json.npos) return false;
  return json.find("\"traceEvents\"") != json.npos ||
         (json[first] == '[' && json.find("\"ph\"") != json.npos);
}

ModelProfile import_pytorch_trace(std::string_view json, const std::string& file) {
  const ModelProfile profile = TraceImporter(read_trace(json, file), file).profile();
  return parse_profile(to_json_text(profile), file);
}

}  // namespace arlab::training
