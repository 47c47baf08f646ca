// Traces of PyTorch's profiler: a convolution, a normalization and a linear layer, as its versions write
// them for GPUs and for processors; and traces that lack something.
#include "training/profiles/pytorch_trace.hpp"

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

// One event: times in microseconds; `id` links kernels with the operator that launched them.
std::string event(const std::string& category, const std::string& name, const std::string& thread,
                  double begin, double duration, int id = 0, const std::string& dims = "") {
  std::string text = R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name +
                     R"(", "tid": )" + thread + R"(, "ts": )" + std::to_string(begin) +
                     R"(, "dur": )" + std::to_string(duration) + R"(, "args": {"External id": )" +
                     std::to_string(id);
  if (!dims.empty()) text += R"(, "Input Dims": )" + dims + R"(, "Input type": ["float"])";
  return text + "}}";
}

const std::string kGradient = "torch::autograd::AccumulateGrad";
const std::string kEngine = "autograd::engine::evaluate_function: ";

std::string trace_of(const std::vector<std::string>& events, const std::string& metadata = "") {
  std::string text = R"({"schemaVersion": 1, "deviceProperties": [{"name": "A GPU"}], )" +
                     metadata + R"("traceEvents": [{"ph": "M", "name": "process_name"})";
  for (const std::string& one : events) text += ",\n" + one;
  return text + "]}";
}

/// Two steps; the first takes 1,000 times as long and must not count.
std::vector<std::string> processor_trace() {
  std::vector<std::string> all;
  for (const double start : {0., 1'000'000.}) {
    const double slow = start == 0 ? 1000 : 1;
    const auto add = [&](const std::string& name, double begin, double duration,
                         const std::string& dims = "", const std::string& category = "cpu_op") {
      all.push_back(event(category, name, "7", start + begin * slow, duration * slow, 0, dims));
    };
    add(start == 0 ? "ProfilerStep#3" : "ProfilerStep#4", 0, 500, "", "user_annotation");
    add("enumerate(DataLoader)#next", 1, 5, "", "user_annotation");
    add("aten::stack", 2, 3, "[[3, 8, 8]]");
    add("aten::conv2d", 10, 20, "[[16, 3, 8, 8], [8, 3, 3, 3], [8]]");
    add("aten::convolution", 11, 18, "[[16, 3, 8, 8], [8, 3, 3, 3], [8]]");
    add("aten::batch_norm", 30, 5, "[[16, 8, 6, 6], [8], [8], [8], [8]]");
    add("aten::relu", 40, 2, "[[16, 8, 6, 6]]");
    add("aten::linear", 50, 10, "[[16, 288], [10, 288], [10]]");
    add("aten::cross_entropy_loss", 60, 4, "[[16, 10], [16]]");
    add(kEngine + "NllLossBackward0", 70, 3);
    add(kEngine + "AddmmBackward0", 80, 15);
    add(kEngine + kGradient, 100, 2);
    add(kGradient, 100, 1, "[[10]]");
    add(kEngine + "TBackward0", 110, 1);
    add(kGradient, 120, 1, "[[10, 288]]");
    add(kEngine + "ReluBackward0", 130, 4);
    add(kEngine + "NativeBatchNormBackward0", 140, 9);
    add(kGradient, 150, 1, "[[8]]");
    add(kGradient, 160, 1, "[[8]]");
    add(kEngine + "ConvolutionBackward0", 170, 40);
    add(kGradient, 220, 1, "[[8, 3, 3, 3]]");
    add(kGradient, 230, 1, "[[8]]");
    add("Optimizer.step#SGD.step", 300, 60, "", "user_annotation");
    add("aten::add_", 310, 30, "[[8]]");
  }
  return all;
}

/// The form of 2021: categories with capitals, no operators of the engine, threads as texts.
std::vector<std::string> gpu_trace() {
  const std::string host = "\"5555\"", engine = "\"5786\"", stream = "\"stream 7\"";
  return {event("Operator", "ProfilerStep#5", host, 0, 1000),
          event("Operator", "aten::conv2d", host, 10, 20, 1, "[[32, 3, 8, 8], [4, 3, 1, 1], []]"),
          event("Operator", "aten::cudnn_convolution", host, 12, 10, 2, "[[32, 3, 8, 8]]"),
          event("Kernel", "convolve", stream, 400, 70, 2),
          event("Operator", "aten::linear", host, 40, 10, 3, "[[32, 256], [5, 256], [5]]"),
          event("Operator", "aten::addmm", host, 41, 8, 4, "[[5], [32, 256], [256, 5]]"),
          event("Kernel", "gemm", stream, 500, 30, 4),
          event("Operator", "AddmmBackward", engine, 60, 5, 5),
          event("Kernel", "gemm_backward", stream, 600, 55, 5),
          event("Operator", kGradient, engine, 70, 2, 6, "[[5]]"),
          event("Operator", kGradient, engine, 75, 2, 7, "[[5, 256]]"),
          event("Operator", "CudnnConvolutionBackward", engine, 80, 5, 8),
          event("Kernel", "wgrad", stream, 700, 90, 8),
          event("Kernel", "another program's", stream, 700, 1e6, 99),
          event("Operator", kGradient, engine, 90, 2, 9, "[[4, 3, 1, 1]]"),
          event("Operator", "Optimizer.step#SGD.step", host, 200, 50, 10),
          event("Operator", "aten::add_", host, 210, 5, 11, "[[5]]"),
          event("Kernel", "add", stream, 800, 13, 11)};
}

std::string refusal_of_trace(const std::string& text) {
  try {
    import_pytorch_trace(text, "run/small.pt.trace.json");
  } catch (const Error& error) {
    CHECK(error.blame() == Blame::usage);
    return error.what();
  }
  return "accepted";
}

double us(Time t) { return picoseconds(t) / 1e6; }

}  // namespace

TEST_CASE("a trace of a processor becomes the profile of its last step") {
  const ModelProfile p =
      import_pytorch_trace(trace_of(processor_trace()), "run/small.pt.trace.json");
  CHECK(p.name == "small");
  CHECK(p.batch == 16);
  CHECK(p.gradient_bytes == 4);
  CHECK(p.device == "the processor of the trace");
  CHECK(p.parameters() == 8 * 27 + 8 + 8 + 8 + 2880 + 10);
  REQUIRE(p.layers.size() == 3);
  CHECK(p.layers[0].name == "conv2d.0");
  CHECK(p.layers[1].name == "batch_norm.1");
  CHECK(p.layers[2].name == "linear.2");
  REQUIRE(p.layers[1].tensors.size() == 2);
  CHECK(p.layers[1].tensors[0].elements == 8);
  CHECK(us(p.layers[0].forward) == Approx(20));      // without the loader's work
  CHECK(us(p.layers[1].forward) == Approx(5 + 2));   // with the activation after it
  CHECK(us(p.layers[2].forward) == Approx(10 + 4));  // with the loss
  CHECK(us(p.layers[2].backward) == Approx(3 + 15 + 2 + 1 + 1));
  CHECK(us(p.layers[1].backward) == Approx(4 + 9 + 1 + 1));
  CHECK(us(p.layers[0].backward) == Approx(40 + 1 + 1));
  CHECK(p.optimizer * static_cast<double>(p.parameters()) / 1e6 == Approx(30));
}

TEST_CASE("a trace of a GPU counts the time of kernels, by the operators that launched them") {
  const ModelProfile p = import_pytorch_trace(trace_of(gpu_trace()), "gpu.json");
  CHECK(p.device == "A GPU");
  CHECK(p.batch == 32);
  CHECK(p.parameters() == 12 + 1280 + 5);
  REQUIRE(p.layers.size() == 2);
  CHECK(us(p.layers[0].forward) == Approx(70));
  CHECK(us(p.layers[1].forward) == Approx(30));
  CHECK(us(p.layers[1].backward) == Approx(55));
  CHECK(us(p.layers[0].backward) == Approx(90));
  CHECK(p.optimizer * 1297 / 1e6 == Approx(13));
}

TEST_CASE("metadata give the batch, and a trace is read where a profile is") {
  const Folder folder;
  const std::string path =
      folder.with("small.json", trace_of(processor_trace(), "\"batch\": 64, "));
  CHECK(load_profile(path).batch == 64);
  CHECK(load_profile(path).name == "small");
  CHECK(!is_pytorch_trace(to_json_text(load_profile("resnet50"))));
  CHECK(is_pytorch_trace(trace_of({})));
}

TEST_CASE("a trace that lacks something is refused, with how to record it") {
  using Catch::Contains;
  CHECK_THAT(refusal_of_trace("{\"traceEvents\": ["), Contains("is not JSON"));
  CHECK_THAT(refusal_of_trace("[{\"ph\": \"X\"}]"), Contains("has Kineto"));
  CHECK_THAT(refusal_of_trace(trace_of({})), Contains("no gradients") && Contains("backward()"));
  auto events = gpu_trace();
  events[9] = event("Operator", kGradient, "\"5786\"", 70, 2, 6);
  CHECK_THAT(refusal_of_trace(trace_of(events)),
             Contains("have no shapes") && Contains("record_shapes=True"));
  events = gpu_trace();
  events[9] = event("Operator", kGradient, "\"5786\"", 70, 2, 6, "[[77, 3]]");
  CHECK_THAT(refusal_of_trace(trace_of(events)),
             Contains("no operator of the forward pass takes a tensor of 77x3"));
  events[9] = event("Operator", kGradient, "\"5786\"", 70, 2, 6, "[[0, 3]]");
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("has the shape 0x3"));
  events = gpu_trace();
  events[1] = event("Operator", "aten::linear", "\"5555\"", 10, 20, 1, "[[9, 3], [4, 3, 1, 1]]");
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("add_metadata_json"));
  CHECK_THAT(refusal_of_trace(trace_of(gpu_trace(), "\"batch\": 0, ")), Contains("'batch' is 0"));
  events = gpu_trace();
  events[1] = R"({"ph": "X", "cat": "Operator", "name": "aten::conv2d", "tid": 1, "ts": "soon"})";
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("'aten::conv2d' has no number 'ts'"));
  std::vector<std::string> one_thread = processor_trace();
  std::erase_if(one_thread, [](const std::string& e) { return e.find(kEngine) != e.npos; });
  CHECK_THAT(refusal_of_trace(trace_of(one_thread)), Contains("cannot be told apart"));
  events = gpu_trace();
  std::string& gradient = events[14];
  gradient.replace(gradient.find("\"float\""), 7, "\"c10::Half\"");
  CHECK_THAT(refusal_of_trace(trace_of(events)),
             Contains("of types float and c10::Half, but a profile has one"));
}
