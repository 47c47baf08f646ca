// Traces of PyTorch's profiler: a convolution, a normalization and a linear layer, as its versions
// write them for GPUs and for processors; and traces that lack something.
#include "training/profiles/pytorch_trace.hpp"

#include <algorithm>
#include <ctime>

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

/// Two steps; the first takes `first` times as long and must not count.
std::vector<std::string> processor_trace(double first = 1000) {
  std::vector<std::string> all;
  for (const double start : {0., 1'000'000.}) {
    const double slow = start == 0 ? first : 1;
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
  CHECK_THAT(refusal_of_trace("{\"traceEvents\": [}"), Contains("is not JSON, at byte"));
  CHECK_THAT(refusal_of_trace(trace_of({})), Contains("no operators") && Contains("backward()"));
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

TEST_CASE("a recording that is there twice is refused, and small models have slow optimizers") {
  using Catch::Contains;
  auto events = gpu_trace();
  const auto once = events;
  events.insert(events.end(), once.begin() + 1, once.end());
  CHECK_THAT(refusal_of_trace(trace_of(events)),
             Contains("'aten::conv2d' and 'aten::conv2d' have the same External id 1: it holds a "
                      "recording more than once, or several processes"));
  events = processor_trace();  // no ids
  const auto steps = events;
  events.insert(events.end(), steps.begin(), steps.end());
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("'ProfilerStep#3' is there twice"));
  events = gpu_trace();
  events.back() = event("Kernel", "add", "\"stream 7\"", 800, 1e9, 11);
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("its optimizer takes 1000000000 us for 1297 parameters"));
  events.back() = event("Kernel", "add", "\"stream 7\"", 800, 9e3, 11);
  const ModelProfile slow = import_pytorch_trace(trace_of(events), "gpu.json");
  CHECK(slow.optimizer * 1297 == Approx(9e9));
}

TEST_CASE("what NCCL, RCCL, and Gloo do in a trace is communication, by any name") {
  const ModelProfile alone = import_pytorch_trace(trace_of(gpu_trace()), "gpu.json");
  for (const char* kernel :
       {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclDevKernel_Generic_4",
        "void rcclGenericKernel<1, false>(ncclDevComm*)", "mscclKernel_Sum_half_LL_false"}) {
    INFO(kernel);
    auto events = gpu_trace();
    // Within the thread of the backward pass; its own copy of a bucket is communication, too.
    events.push_back(event("Operator", "c10d::allreduce_", "\"5786\"", 76, 3, 20, "[[5]]"));
    events.push_back(event("Operator", "record_param_comms", "\"5786\"", 77, 1, 21, "[[5]]"));
    events.push_back(event("Operator", "aten::copy_", "\"5786\"", 78, 1, 22, "[[5]]"));
    for (const int id : {5, 20, 21}) events.push_back(event("Kernel", kernel, "\"s\"", 0, 5e4, id));
    events.push_back(event("Kernel", "copy", "\"s\"", 0, 5e4, 22));
    const ModelProfile p = import_pytorch_trace(trace_of(events), "gpu.json");
    REQUIRE(p.layers.size() == alone.layers.size());
    CHECK(p.step() == alone.step());
  }
}

TEST_CASE("collectives of a processor are communication, also within counted operators") {
  const ModelProfile alone = import_pytorch_trace(trace_of(processor_trace()), "p.json");
  auto events = processor_trace();
  const double step = 1'000'000;
  // Between two operators of the backward pass, and within the convolution's.
  events.push_back(event("cpu_op", "c10d::allreduce_", "7", step + 96, 3, 0, "[[10]]"));
  events.push_back(event("cpu_op", "gloo:all_reduce", "7", step + 97, 1));
  events.push_back(event("cpu_op", "c10d::allreduce_", "7", step + 171, 30, 0, "[[10]]"));
  events.push_back(event("cpu_op", "record_param_comms", "7", step + 172, 5));
  events.push_back(event("cpu_op", "aten::copy_", "7", step + 178, 5));
  const ModelProfile p = import_pytorch_trace(trace_of(events), "p.json");
  REQUIRE(p.layers.size() == 3);
  CHECK(us(p.layers[0].backward) == Approx(us(alone.layers[0].backward) - 30));
  CHECK(p.layers[1].backward == alone.layers[1].backward);
  CHECK(p.layers[2].backward == alone.layers[2].backward);
}

TEST_CASE("the last complete step counts, not one that the end of the recording cut off") {
  const ModelProfile whole = import_pytorch_trace(trace_of(processor_trace()), "p.json");
  for (const char* cut : {"[[8, 3, 3, 3]]", "Optimizer.step"}) {
    INFO(cut);
    auto events = processor_trace(10);
    std::size_t last = 0;
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].find(cut) != events[i].npos) last = i;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(last), events.end());
    const ModelProfile p = import_pytorch_trace(trace_of(events), "p.json");
    CHECK(p.parameters() == whole.parameters());
    CHECK(us(p.layers[0].forward) == Approx(200));  // of the first step
  }
}

// Such as of scripts that record without a schedule.
TEST_CASE("steps that are not marked end with the optimizer") {
  const ModelProfile marked = import_pytorch_trace(trace_of(processor_trace()), "p.json");
  auto events = processor_trace();
  std::erase_if(events, [](const std::string& e) { return e.find("ProfilerStep") != e.npos; });
  const ModelProfile p = import_pytorch_trace(trace_of(events), "p.json");
  CHECK(p.parameters() == marked.parameters());
  CHECK(p.step() == marked.step());
}

TEST_CASE("several passes in a step are refused: each gradient would count again") {
  auto events = processor_trace();
  std::erase_if(events, [](const std::string& e) {
    return e.find("ProfilerStep") != e.npos || e.find("Optimizer.step") != e.npos;
  });
  CHECK_THAT(refusal_of_trace(trace_of(events)), Catch::Contains("several forward and backward"));
}

TEST_CASE("gradients of parameters that a step does not use are undefined, and left out") {
  using Catch::Contains;
  const ModelProfile alone = import_pytorch_trace(trace_of(gpu_trace()), "gpu.json");
  const std::string undefined =
      R"({"ph": "X", "cat": "Operator", "name": ")" + kGradient +
      R"(", "tid": "5786", "ts": 73, "dur": 1, "args": {"Input Dims": [[]], "Input type": [""]}})";
  auto events = gpu_trace();
  events.push_back(undefined);
  const ModelProfile p = import_pytorch_trace(trace_of(events), "gpu.json");
  CHECK(p.parameters() == alone.parameters());
  CHECK(p.step() == alone.step());
  std::erase_if(events, [](const std::string& e) {
    return e.find(kGradient) != e.npos && e.find("\"\"") == e.npos;
  });
  CHECK_THAT(refusal_of_trace(trace_of(events)), Contains("are undefined, without a tensor"));
}

TEST_CASE("an optimizer that does more than the gradients explain is refused") {
  auto events = gpu_trace();
  events.back() = event("Kernel", "add", "\"stream 7\"", 800, 20e3, 11);
  CHECK_THAT(refusal_of_trace(trace_of(events)),
             Catch::Contains("its optimizer takes 20000 us for 1297 parameters"));
}

TEST_CASE("the time to read a trace is in proportion to its events") {
  const auto seconds = [](int count) {
    auto events = gpu_trace();
    for (int i = 0; i < count; ++i)
      events.push_back(event("Operator", "aten::add", "\"9\"", 10 + i * 1e-3, 1e-4, 1000 + i));
    const std::string text = trace_of(events);
    const std::clock_t begin = std::clock();  // of the processor
    import_pytorch_trace(text, "t.json");
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double few = seconds(10'000), many = seconds(80'000);
  CHECK(many < 20 * std::max(few, 0.02));
}

TEST_CASE("traces packed by gzip, and files that are no profile") {
  using Catch::Contains;
  const Folder folder;
  const auto refusal = [&](const std::string& file, const std::string& text) {
    const std::string path = folder.with(file, text);
    try {
      load_profile(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  // {"traceEvents": []}, as gzip packs it.
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\x56\x2a\x29\x4a\x4c\x4e\x75\x2d\x4b\xcd\x2b\x29"
      "\x56"
      "\xb2\x52\x88\x8e\xad\x05\x00\xd7\xde\x51\xaf\x13\x00\x00\x00",
      39);
  const std::string said = refusal("t.json.gz", packed);
  CHECK((said.find("no operators") != said.npos || said.find("has no zlib") != said.npos));
  if (said.find("has no zlib") == said.npos)
    CHECK_THAT(refusal("d.json.gz", packed.substr(0, 30)), Contains("damaged gzip"));
  CHECK_THAT(refusal("c.json", R"({"id": "1", "type": "COMP_NODE"}{"id": "2"})"),
             Contains("node 2 () has no type"));
  CHECK_THAT(refusal("e.json", R"({"schema": "1.0.1", "nodes": [{"ctrl_deps": 1}]})"),
             Contains("ExecutionTraceObserver"));
  CHECK_THAT(refusal("w.txt", "HYBRID_TRANSFORMER\n3\n"), Contains("workload of ASTRA-sim"));
  CHECK_THAT(refusal("x.txt", "words"), Contains("it is not JSON"));
  CHECK_THAT(refusal("y", ""), Contains("it is empty"));
}
