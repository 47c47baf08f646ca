// RoundTransport: messages between host devices as rounds of a communicator, such as on_threads()'.
#pragma once

#include <string>
#include <vector>

#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

class RoundTransport final : public DeviceTransport {
 public:
  /// Every `spoilt`-th group corrupts a byte of each message that it receives; 0: none does.
  explicit RoundTransport(Communicator& communicator, int spoilt = 0)
      : communicator_(communicator), spoilt_(spoilt) {}
  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
    stream.synchronize();
    std::vector<Transfer> round;
    for (const SendRecv& call : calls)
      round.push_back({call.sends ? ActionKind::send : ActionKind::replace, call.peer, call.data,
                       static_cast<Count>(call.bytes)});
    communicator_.start(0, round, {DType::byte, Op::sum});
    communicator_.wait();
    if (spoilt_ > 0 && ++groups_ % spoilt_ == 0)
      for (const SendRecv& call : calls)
        if (!call.sends) *call.data ^= std::byte{0x3f};
  }
  std::string native_name() const override { return communicator_.native_name(); }
  void native_allreduce(std::byte* data, Count elements, Operand operand,
                        DeviceStream& stream) override {
    stream.synchronize();
    communicator_.native_allreduce(data, elements, operand);
  }
  std::string native_name_for(const Problem& problem) const override {
    return communicator_.native_name_for(problem);
  }
  void native_collective(const Problem& problem, std::byte* data, Operand operand,
                         DeviceStream& stream) override {
    stream.synchronize();
    communicator_.native_collective(problem, data, operand);
  }

 private:
  Communicator& communicator_;
  int spoilt_, groups_ = 0;
};

}  // namespace arlab::collectives
