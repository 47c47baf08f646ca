// HostStream: a stream of a host device, and its events and graphs.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/gpu/memory_map.hpp"
#include "tests/fakes/gpu/graph.hpp"
#include "tests/fakes/gpu/queue.hpp"

namespace arlab::collectives {

/// The marks of launches that have not reached them yet.
class HostMarks {
 public:
  void push(std::shared_ptr<HostMark> mark) {
    const std::lock_guard lock(mutex_);
    marks_.push_back(std::move(mark));
  }
  std::shared_ptr<HostMark> pop() {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<HostMark> first = std::move(marks_.front());
    marks_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<HostMark>> marks_;
};

/// What a DeviceEvent of a host device refers to.
class HostEvent {
 public:
  HostEvent(const Device& device, bool timed) : device_(device), timed_(timed) {}

 private:
  friend class HostStream;
  const Device& device_;
  bool timed_;
  std::shared_ptr<HostMark> mark_;    // recorded last in a queue,
  std::shared_ptr<HostGraph> graph_;  // or in a capture
  HostGraph::Node node_ = 0;
};

class HostCaptured final : public DeviceGraph {
 public:
  explicit HostCaptured(std::shared_ptr<const HostGraph> captured) : graph(std::move(captured)) {}

  const std::shared_ptr<const HostGraph> graph;
};

class HostStream final : public DeviceStream {
 public:
  HostStream(const Device& device, const MemoryMap& memory, std::uint32_t disorder)
      : device_(device), memory_(memory), disorder_(disorder), random_(disorder) {}

  void copy(std::byte* into, const std::byte* from, std::size_t bytes) override;
  void reduce_all(std::byte* into, std::span<const std::byte* const> from, Count elements,
                  Operand operand) override;
  void scale(std::byte* data, Count elements, DType dtype, double divisor) override;
  void count_different(std::byte* counter, const std::byte* a, const std::byte* b, Count elements,
                       DType dtype) override;
  void record(const DeviceEvent& event) override;
  void wait(const DeviceEvent& event) override;
  double microseconds_between(const DeviceEvent& start, const DeviceEvent& stop) override;
  bool is_done() override;
  void synchronize() override;
  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& enqueue) override;
  void launch(DeviceGraph& graph) override;

 private:
  void add(HostQueue::Work work);
  bool is_captured();
  void expect_reachable(const std::byte* data, Count elements, DType dtype) const;

  void begin_capture();
  std::unique_ptr<DeviceGraph> end_capture();

  const Device& device_;
  const MemoryMap& memory_;
  std::uint32_t disorder_;
  std::minstd_rand random_;
  std::shared_ptr<HostGraph> graph_;   // while captured
  std::vector<HostGraph::Node> last_;  // what the next captured work must follow
  bool began_ = false;                 // the capture
  HostQueue queue_;
};

}  // namespace arlab::collectives
