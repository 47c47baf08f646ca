#include "bench/hunt/device_probe.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/hunt/pair_timer.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/gpu/device_transport.hpp"

namespace arlab::bench {
namespace {

using collectives::DeviceStream;
using collectives::Executor;
using collectives::SendRecv;

class DevicePairs {
 public:
  DevicePairs(Executor& executor, Bytes bytes)
      : run_(executor.expect_device()),
        bytes_(std::max(bytes, kLeastRoom)),
        out_(run_.gpu().allocate(index(bytes_))),
        in_(run_.gpu().allocate(index(bytes_))),
        ready_(run_.gpu().make_event()),
        start_(run_.gpu().make_event(true)),
        stop_(run_.gpu().make_event(true)),
        stream_(run_.gpu().make_stream()),
        timer_(executor.control(),
               {.send = [this](Rank to, Bytes size) { exchange(true, to, out_, size); },
                .receive = [this](Rank from, Bytes size) { exchange(false, from, in_, size); }}) {
    stream_->record(ready_);
    stream_->synchronize();
    executor.control().barrier();  // allocating may wait for what other ranks started
  }
  ~DevicePairs() { stream_->settle(); }
  DevicePairs(const DevicePairs&) = delete;
  DevicePairs& operator=(const DevicePairs&) = delete;

  PairTimer& timer() { return timer_; }

  std::vector<double> alone(const std::function<void(DeviceStream&)>& work) {
    return timer_.least_alone([&] {
      stream_->record(start_);
      work(*stream_);
      stream_->record(stop_);
      stream_->synchronize();
      return stream_->microseconds_between(start_, stop_);
    });
  }
  void copy(DeviceStream& stream) { stream.copy(in_.data(), out_.data(), index(bytes_)); }
  void add(DeviceStream& stream) {
    stream.reduce(in_.data(), out_.data(), bytes_ / 4,
                  {collectives::DType::float32, collectives::Op::sum});
  }

 private:
  void exchange(bool sends, Rank peer, collectives::DeviceMemory& memory, Bytes size) {
    const SendRecv message{
        .sends = sends, .peer = peer, .data = memory.data(), .bytes = index(size)};
    run_.exchange({&message, 1}, ready_);
  }

  collectives::DeviceCollectives& run_;
  Bytes bytes_;
  collectives::DeviceMemory out_, in_;
  collectives::DeviceEvent ready_, start_, stop_;
  std::unique_ptr<DeviceStream> stream_;
  PairTimer timer_;
};

}  // namespace

hunt::Probe device_probe(Executor& executor, Bytes bytes) {
  if (!executor.expect_device().exchanges())
    fail(Blame::usage,
         "this backend sends no messages from device to device: hunt with --backend nccl");
  const auto pairs = std::make_shared<DevicePairs>(executor, bytes);
  collectives::Communicator& ranks = executor.control();
  hunt::Probe probe{.ranks = ranks.ranks(), .most_bytes = bytes, .group_of = machine_groups(ranks)};
  probe.round_trips = [pairs](std::span<const hunt::Pair> all, Bytes size) {
    return pairs->timer().round_trips(all, size);
  };
  probe.trips = [pairs] { return pairs->timer().trips(); };
  probe.copy = [pairs] { return pairs->alone([&](DeviceStream& stream) { pairs->copy(stream); }); };
  probe.add = [pairs] { return pairs->alone([&](DeviceStream& stream) { pairs->add(stream); }); };
  return probe;
}

}  // namespace arlab::bench
