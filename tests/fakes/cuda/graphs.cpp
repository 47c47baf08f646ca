// Captures and graphs.
#include <algorithm>

#include "tests/fakes/cuda/streams.hpp"

using namespace arlab::fake_cuda;

namespace arlab::fake_cuda {

Work marking(const std::shared_ptr<Mark>& mark);

namespace {

/// Whether these nodes follow all others, or are them.
bool joined(const std::vector<Node>& nodes, const std::vector<std::size_t>& last) {
  std::vector<bool> before(nodes.size());
  for (const std::size_t node : last) before[node] = true;
  for (std::size_t node = nodes.size(); node-- > 0;)
    if (before[node])
      for (const std::size_t earlier : nodes[node].after) before[earlier] = true;
  return std::all_of(before.begin(), before.end(), [](bool is) { return is; });
}

}  // namespace
}  // namespace arlab::fake_cuda

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  Stream* const stream = handle ? find_stream(handle, "cudaStreamBeginCapture") : nullptr;
  if (!stream) return returned(cudaErrorStreamCaptureUnsupported);
  if (stream->capture && stream->capture->open) return returned(cudaErrorIllegalState);
  if (mode != cudaStreamCaptureModeRelaxed)
    m.complain("captures that forbid other threads' calls are not modeled");
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream;
  stream->captured_after.clear();
  ++m.alive["captures"];
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  *graph = nullptr;
  Stream* const stream = find_stream(handle, "cudaStreamEndCapture");
  if (!stream) return returned(cudaErrorInvalidResourceHandle);
  const auto capture = stream->capture;
  if (!capture || !capture->open || capture->origin != stream)
    return returned(cudaErrorStreamCaptureUnmatched);
  capture->open = false;
  stream->capture = nullptr;
  --m.alive["captures"];
  if (!joined(capture->nodes, stream->captured_after))
    return returned(cudaErrorStreamCaptureUnjoined);
  *graph = made<Graph>("graphs");
  (*graph)->nodes = capture->nodes;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(machine().mutex);
  *status = handle && handle->capture && handle->capture->open ? cudaStreamCaptureStatusActive
                                                               : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  const std::lock_guard lock(machine().mutex);
  if (!graph || !graph->is_alive) return returned(cudaErrorInvalidValue);
  *executable = made<GraphExec>("executable graphs");
  (*executable)->nodes = graph->nodes;
  for (const Node& node : graph->nodes)
    if (node.users) ++*node.users;
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t handle) {
  const std::lock_guard lock(machine().mutex);
  return executable && executable->is_alive && find_stream(handle, "cudaGraphUpload")
             ? cudaSuccess
             : returned(cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  Stream* const stream = find_stream(handle, "cudaGraphLaunch");
  if (!stream || !executable || !executable->is_alive) {
    m.complain("a graph was launched that was destroyed, or on such a stream");
    return returned(cudaErrorInvalidValue);
  }
  if (stream->capture && stream->capture->open) {
    m.complain("graphs within graphs are not modeled");
    return returned(cudaErrorStreamCaptureUnsupported);
  }
  ++m.counted.graph_launches;
  ++m.counted.launches;
  Tasks first = stream->after;  // a graph follows its own last launch, too
  first.insert(first.end(), executable->last.begin(), executable->last.end());
  Tasks tasks;
  std::vector<bool> is_last(executable->nodes.size(), true);
  for (const Node& node : executable->nodes) {
    Tasks after = node.after.empty() ? first : Tasks{};
    for (const std::size_t earlier : node.after) {
      after.push_back(tasks[earlier]);
      is_last[earlier] = false;
    }
    Work work = node.work;
    if (node.marks) {
      node.marks->capture = nullptr;
      node.marks->mark = std::make_shared<Mark>();
      work = marking(node.marks->mark);
    }
    tasks.push_back(add_task(node.device, after, std::move(work)));
    if (node.marks) node.marks->mark->after = {tasks.back()};
  }
  if (!tasks.empty()) stream->after.clear();
  for (std::size_t node = 0; node < tasks.size(); ++node)
    if (is_last[node]) stream->after.push_back(tasks[node]);
  executable->last = stream->after;
  run_some();
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  Machine& m = machine();
  const std::lock_guard lock(m.mutex);
  if (!unmade(executable, "executable graphs")) return returned(cudaErrorInvalidValue);
  if (!m.broken && !all_done(executable->last)) m.complain("a graph was destroyed while it runs");
  for (const Node& node : executable->nodes)
    if (node.users) --*node.users;
  executable->nodes.clear();
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(machine().mutex);
  return unmade(graph, "graphs") ? cudaSuccess : returned(cudaErrorInvalidValue);
}
