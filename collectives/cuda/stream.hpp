// CudaStream: streams, events and graphs of a device as CUDA's own.
#pragma once

#include <functional>

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/kernels.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/gpu/memory_map.hpp"

namespace arlab::collectives::cuda {

/// What a DeviceEvent of a CUDA device refers to.
class CudaEvent {
 public:
  CudaEvent(int device, bool timed);
  ~CudaEvent() { cudaEventDestroy(event_); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

 private:
  friend class CudaStream;
  cudaEvent_t event_ = nullptr;
  bool timed_;
};

class CudaGraph final : public DeviceGraph {
 public:
  explicit CudaGraph(cudaGraph_t captured);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

 private:
  friend class CudaStream;
  cudaGraph_t graph_;
  cudaGraphExec_t executable_ = nullptr;
};

class CudaStream final : public DeviceStream {
 public:
  /// A new stream, or for frameworks the device's default one. `blocks`: of a kernel, as many as
  /// fill the device.
  CudaStream(const Device& device, int index, int blocks, const MemoryMap& memory, StreamKind kind);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  void copy(std::byte* into, const std::byte* from, std::size_t bytes) override;
  void reduce_all(std::byte* into, std::span<const std::byte* const> from, Count elements,
                  Operand operand) override;
  void scale(std::byte* data, Count elements, DType dtype, double divisor) override;
  void count_different(std::byte* counter, const std::byte* a, const std::byte* b, Count elements,
                       DType dtype) override;
  void run_plan(const PeerPlan& plan, int threads, Operand operand) override;
  void record(const DeviceEvent& event) override;
  void wait(const DeviceEvent& event) override;
  double microseconds_between(const DeviceEvent& start, const DeviceEvent& stop) override;
  bool is_done() override;
  void synchronize() override;
  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& enqueue) override;
  void launch(DeviceGraph& graph) override;

  cudaStream_t handle() const { return launch_.stream; }

 private:
  template <class Use>
  void launch_kernel(Use use);
  cudaError_t end_capture(cudaGraph_t& captured);
  bool can_read(const std::byte* data, std::size_t bytes) const;

  const Device& device_;
  int index_;
  const MemoryMap& memory_;
  Launch launch_;
};

}  // namespace arlab::collectives::cuda
