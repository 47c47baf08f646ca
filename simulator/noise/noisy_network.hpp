// NoisyNetwork: another network whose messages and ranks are disturbed at random.
//
// Each message arrives later by a random delay with an exponential distribution, but not before an
// earlier one of its pair. Each rank is interrupted for the same time once per period, from a random
// time on: it starts no message, and its computations take longer. Hoefler, Schneider, Lumsdaine,
// Characterizing the influence of system noise on large-scale applications by simulation, SC 2010.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/noise/message_delays.hpp"

namespace arlab::simulator {

struct Noise {
  std::uint64_t seed = 0;
  Time jitter{};             ///< mean delay of a message
  Time detour{}, period{1};  ///< a rank is interrupted for `detour`, which is below `period`
};

class NoisyNetwork : public Network {
 public:
  NoisyNetwork(std::unique_ptr<Network> network, Rank ranks, const Noise& noise);

  const UniformCosts* uniform() const override { return uniform_ ? &*uniform_ : nullptr; }
  bool synchronous() const override { return network_->synchronous(); }
  Time can_send(Rank source, Time now) override;
  Sent send(const Message& message, Time now) override;
  Time flight() const override { return network_->flight(); }
  Time can_receive(Rank target, Time now) override;
  Time receive(const Message& message, Time now) override;
  bool has_changes() const override { return network_->has_changes(); }
  Time next_change() override;
  std::span<const std::uint32_t> advance(Time now) override;
  std::span<const std::uint32_t> completed_sends() const override { return completed_; }
  bool needs_receives() const override { return network_->needs_receives(); }
  void post_receive(const Message& message, Time now) override;
  void watch_links(LinkHistory& history) override { network_->watch_links(history); }
  std::vector<LinkLoad> loads(Time now) const override { return network_->loads(now); }
  void on_rendezvous(Rank source, Time now) override { network_->on_rendezvous(source, now); }
  Work reduce(Rank rank, Bytes bytes, Time now) override;
  bool knows_sent() const override { return network_->knows_sent(); }
  Work reduce_sent(Rank rank, Bytes bytes, Time now) override;
  Work compute(Rank rank, Time duration, Time now) override;

 private:
  struct Held {  // has left the network and is late
    Time arrival{};
    std::uint64_t turn = 0;  // of those that arrive together
    std::uint32_t number = 0;
    bool operator>(const Held& other) const {
      return arrival != other.arrival ? arrival > other.arrival : turn > other.turn;
    }
  };

  bool is_late() const { return noise_.jitter > Time{}; }
  bool is_interrupted() const { return noise_.detour > Time{}; }
  Time after_detour(Rank rank, Time time) const;
  Work prolonged(Rank rank, const Work& work);

  std::unique_ptr<Network> network_;
  Noise noise_;
  MessageDelays delays_;
  std::optional<UniformCosts> uniform_;  // of a network whose ranks are not interrupted
  std::vector<Time> first_detour_;       // of each rank; empty without
  std::vector<Message> sent_;            // by number, where arrivals are unknown
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
  std::uint64_t turns_ = 0;
  std::vector<std::uint32_t> arrived_, completed_;
};

}  // namespace arlab::simulator
