// RankExecutor: one rank of a collective that has a device of its own: the executor behind NCCL, and
// behind MPI with device buffers. Every rank has one, in a process or thread of its own.
//
// It knows the steps of its part (rank_part.hpp); how messages travel is the business of Wires.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/schedule/rank_plan.hpp"

namespace arlab::collectives {

/// One end of a message between ranks, on device memory.
struct SendRecv {
  bool sends = false;
  Rank peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// How messages travel between devices of different ranks.
class DeviceTransport {
 public:
  virtual ~DeviceTransport() = default;
  /// Does all calls of one group, in the stream's order: after what it was given, before what
  /// comes.
  virtual void exchange(std::span<const SendRecv> calls, DeviceStream& stream) = 0;

  /// Throws what went wrong on its own, such as a peer that is lost.
  virtual void check() {}
  /// Gives up all that is under way, so that nothing waits for ever.
  virtual void abort() {}

  /// The library's own allreduce, in place; its name is empty where there is none.
  virtual std::string native_name() const { return ""; }
  virtual void native_allreduce(std::byte* data, Count elements, Operand operand,
                                DeviceStream& stream);
};

class RankExecutor {
 public:
  using Seconds = std::chrono::duration<double>;

  /// A rank's part on its memory, ready to be run again and again. Must outlive its runs.
  class Prepared {
   public:
    const Cost& sent() const { return part_.sent; }

   private:
    friend class RankExecutor;
    RankPlan part_;
    std::byte* data_ = nullptr;
    Operand operand_;
    Rank ranks_ = 0;
    DeviceMemory scratch_;
  };

  /// `control` says who this rank is. All three must outlive this. After `patience` without an end
  /// synchronise() gives up.
  RankExecutor(Communicator& control, Device& device, DeviceTransport& wires,
               Seconds patience = Seconds(60));
  ~RankExecutor();

  Device& device() const { return device_; }
  DeviceStream& stream() const { return *stream_; }
  DeviceTransport& wires() const { return wires_; }

  /// `data`: this rank's vector, on its device; changed in place. Throws Error(usage) if the
  /// algorithm does not support the problem.
  Prepared prepare(const Algorithm& algorithm, const Problem& problem, std::byte* data,
                   Operand operand, int segments);
  /// Every rank must run the same.
  void run(Prepared& prepared);
  void run_native(std::byte* data, Count elements, Operand operand);

  /// Waits until all is done. Throws what went wrong; Error(environment) after patience.
  void synchronise();
  /// Of the last run, on this device. Waits for it.
  double microseconds();

 private:
  Communicator& control_;
  Device& device_;
  DeviceTransport& wires_;
  Seconds patience_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> start_, stop_;
  std::vector<SendRecv> calls_;
};

}  // namespace arlab::collectives
