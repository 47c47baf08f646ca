#include "bench/hunt/ranks_probe.hpp"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "bench/calibrate/exchanger.hpp"
#include "bench/hunt/pair_timer.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::bench {
namespace {

using collectives::Communicator;

constexpr Count kAloneBytes = Count{4} << 20;  // in no cache of one core

// Seconds that this thread had a processor. A rank that waits for one is not slow by itself.
double processor_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class HostPairs {
 public:
  HostPairs(Communicator& communicator, Bytes bytes)
      : is_crowded_(ranks_per_processor(communicator) > 1 &&
                    &communicator.clock() == &collectives::machine_clock()),
        exchanger_(communicator, std::max(bytes, kLeastRoom), 0),
        timer_(communicator, {.send =
                                  [this](Rank to, Bytes size) {
                                    exchanger_.send(0, to, size);
                                    exchanger_.wait(1);
                                  },
                              .receive =
                                  [this](Rank from, Bytes size) {
                                    exchanger_.receive(0, from, size);
                                    exchanger_.wait(1);
                                  }}) {}
  HostPairs(const HostPairs&) = delete;
  HostPairs& operator=(const HostPairs&) = delete;

  PairTimer& timer() { return timer_; }

  std::vector<double> alone(const std::function<void(std::byte*, const std::byte*)>& work) {
    if (into_.empty()) {
      into_.resize(index(kAloneBytes));
      from_.resize(index(kAloneBytes));
    }
    return timer_.least_alone([&] {
      const double start = now();
      work(into_.data(), from_.data());
      return 1e6 * (now() - start);
    });
  }

 private:
  double now() { return is_crowded_ ? processor_now() : exchanger_.now(); }

  bool is_crowded_;
  Exchanger exchanger_;
  PairTimer timer_;
  std::vector<std::byte> into_, from_;
};

}  // namespace

hunt::Probe ranks_probe(Communicator& communicator, Bytes bytes) {
  const auto pairs = std::make_shared<HostPairs>(communicator, bytes);
  hunt::Probe probe{
      .ranks = communicator.ranks(), .most_bytes = bytes, .group_of = machine_groups(communicator)};
  probe.round_trips = [pairs](std::span<const hunt::Pair> all, Bytes size) {
    return pairs->timer().round_trips(all, size);
  };
  probe.trips = [pairs] { return pairs->timer().trips(); };
  probe.copy = [pairs] {
    return pairs->alone([](std::byte* into, const std::byte* from) {
      std::memcpy(into, from, index(kAloneBytes));
    });
  };
  probe.add = [pairs] {
    return pairs->alone([](std::byte* into, const std::byte* from) {
      collectives::reduce_into(into, from, kAloneBytes / 4,
                               {collectives::DType::float32, collectives::Op::sum});
    });
  };
  return probe;
}

double ranks_per_processor(Communicator& communicator) {
  const std::vector<Rank> machines = communicator.machines();
  const Rank here = machines[index(communicator.rank())];
  const auto ranks = static_cast<double>(std::ranges::count(machines, here));
  return communicator.max(ranks / std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace arlab::bench
