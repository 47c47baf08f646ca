#include "collectives/cuda/stream.hpp"

#include "collectives/cuda/peer.hpp"

namespace arlab::collectives::cuda {

CudaEvent::CudaEvent(int device, bool timed) : timed_(timed) {
  use_device(device);
  check(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
}

CudaGraph::CudaGraph(cudaGraph_t captured) : graph_(captured) {
  const cudaError_t code = cudaGraphInstantiateWithFlags(&executable_, graph_, 0);
  if (code != cudaSuccess) cudaGraphDestroy(graph_);
  check(code, "cudaGraphInstantiateWithFlags");
}

CudaGraph::~CudaGraph() {
  cudaGraphExecDestroy(executable_);
  cudaGraphDestroy(graph_);
}

CudaStream::CudaStream(const Device& device, int index, int blocks, const MemoryMap& memory,
                       StreamKind kind)
    : device_(device), index_(index), memory_(memory), launch_{nullptr, blocks} {
  if (kind == StreamKind::framework) return;  // its handle is null: that of the current device
  use_device(index_);
  check(cudaStreamCreateWithFlags(&launch_.stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
}

CudaStream::~CudaStream() {
  if (launch_.stream) cudaStreamDestroy(launch_.stream);
}

template <class Use>
void CudaStream::launch_kernel(Use use) {
  use_device(index_);
  use();
  check(cudaGetLastError(), "a kernel's launch");
}

bool CudaStream::can_read(const std::byte* data, std::size_t bytes) const {
  const Device* const owner = memory_.owner(data, bytes);
  return owner && device_.reads(*owner);
}

// A kernel where it reaches both: a graph of kernels alone is faster than one that changes between
// kernels and copy engines. CUDA copies host memory and memory of devices that are not peers.
void CudaStream::copy(std::byte* into, const std::byte* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (can_read(into, bytes) && can_read(from, bytes))
    return launch_kernel([&] { cuda::copy(into, from, bytes, launch_); });
  use_device(index_);
  check(cudaMemcpyAsync(into, from, bytes, cudaMemcpyDefault, handle()), "cudaMemcpyAsync");
}

void CudaStream::reduce_all(std::byte* into, std::span<const std::byte* const> from, Count elements,
                            Operand operand) {
  launch_kernel([&] { cuda::reduce(into, from, elements, operand, launch_); });
}

void CudaStream::scale(std::byte* data, Count elements, DType dtype, double divisor) {
  launch_kernel([&] { cuda::scale(data, elements, dtype, divisor, launch_); });
}

void CudaStream::count_different(std::byte* counter, const std::byte* a, const std::byte* b,
                                 Count elements, DType dtype) {
  launch_kernel([&] { cuda::count_different(counter, a, b, elements, dtype, launch_); });
}

void CudaStream::run_plan(const PeerPlan& plan, int threads, Operand operand) {
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, index_), "cudaDeviceGetAttribute");
  const auto cycles = static_cast<long long>(plan.patience * 1e3 * kilohertz);
  launch_kernel([&] { cuda::run_plan(plan, threads, operand, cycles, launch_.stream); });
}

void CudaStream::record(const DeviceEvent& event) {
  use_device(index_);
  const auto& its = event.as<CudaEvent>();
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  if (its.timed_) check(cudaStreamIsCapturing(handle(), &captured), "cudaStreamIsCapturing");
  const unsigned flags =
      captured == cudaStreamCaptureStatusNone ? cudaEventRecordDefault : cudaEventRecordExternal;
  check(cudaEventRecordWithFlags(its.event_, handle(), flags), "cudaEventRecordWithFlags");
}

void CudaStream::wait(const DeviceEvent& event) {
  use_device(index_);
  check(cudaStreamWaitEvent(handle(), event.as<CudaEvent>().event_, 0), "cudaStreamWaitEvent");
}

double CudaStream::microseconds_between(const DeviceEvent& start, const DeviceEvent& stop) {
  const cudaEvent_t first = start.as<CudaEvent>().event_, last = stop.as<CudaEvent>().event_;
  check(cudaEventSynchronize(last), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, first, last), "cudaEventElapsedTime");
  return 1e3 * static_cast<double>(milliseconds);
}

bool CudaStream::is_done() {
  use_device(index_);
  const cudaError_t code = cudaStreamQuery(handle());
  if (code == cudaErrorNotReady) return false;
  check(code, "work on a stream");
  return true;
}

void CudaStream::synchronize() {
  use_device(index_);
  check(cudaStreamSynchronize(handle()), "work on a stream");
}

cudaError_t CudaStream::end_capture(cudaGraph_t& captured) {
  use_device(index_);
  const cudaError_t code = cudaStreamEndCapture(handle(), &captured);
  if (code != cudaSuccess)
    cudaGetLastError();  // it is reported here: the next launch is not at fault
  return code;
}

// Relaxed: memory and events may be made meanwhile, which touches no captured stream.
std::unique_ptr<DeviceGraph> CudaStream::capture(const std::function<void()>& enqueue) {
  use_device(index_);
  check(cudaStreamBeginCapture(handle(), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  try {
    enqueue();
  } catch (...) {
    cudaGraph_t dropped = nullptr;
    if (end_capture(dropped) == cudaSuccess) cudaGraphDestroy(dropped);  // else: unjoined streams
    throw;
  }
  cudaGraph_t captured = nullptr;
  check(end_capture(captured), "cudaStreamEndCapture");
  auto graph = std::make_unique<CudaGraph>(captured);
  check(cudaGraphUpload(graph->executable_, handle()),
        "cudaGraphUpload");  // not at the first launch
  return graph;
}

void CudaStream::launch(DeviceGraph& graph) {
  use_device(index_);
  check(cudaGraphLaunch(dynamic_cast<CudaGraph&>(graph).executable_, handle()), "cudaGraphLaunch");
}

}  // namespace arlab::collectives::cuda
