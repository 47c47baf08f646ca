// ThreadWires: messages between host devices as rounds of the threads' communicator.
#pragma once

#include <string>
#include <vector>

#include "collectives/device_rank.hpp"

namespace arlab {

class ThreadWires final : public Wires {
 public:
  explicit ThreadWires(Communicator& threads) : threads_(threads) {}
  void exchange(std::span<const WireCall> calls, DeviceStream& stream) override {
    stream.synchronise();
    std::vector<Transfer> round;
    for (const WireCall& call : calls)
      round.push_back({call.sends ? Verb::send : Verb::replace, call.peer, call.data,
                       static_cast<Count>(call.bytes / 2)});
    threads_.start(0, round, {DType::float16, Op::sum});
    threads_.wait();
  }
  std::string native_name() const override { return threads_.native_name(); }
  void native_allreduce(std::byte* data, Count elements, Operand operand,
                        DeviceStream& stream) override {
    stream.synchronise();
    threads_.native_allreduce(data, elements, operand);
  }

 private:
  Communicator& threads_;
};

}  // namespace arlab
