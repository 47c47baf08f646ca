// RoundTransport: messages between host devices as rounds of a communicator, such as on_threads()'.
#pragma once

#include <string>
#include <vector>

#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

class RoundTransport final : public DeviceTransport, private Baseline {
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
  Baseline& baseline(DeviceStream& stream) override {
    stream_ = &stream;
    return *this;
  }

 private:
  std::string name_of(const Problem& problem) const override {
    return communicator_.baseline().name_of(problem);
  }
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    stream_->synchronize();
    communicator_.baseline().run(problem, from, into, operand);
  }

  Communicator& communicator_;
  int spoilt_, groups_ = 0;
  DeviceStream* stream_ = nullptr;  // of the baseline
};

}  // namespace arlab::collectives
