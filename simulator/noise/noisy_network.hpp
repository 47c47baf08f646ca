// NoisyNetwork: another network whose messages and ranks are disturbed at random.
//
// Each message arrives later by a random delay with an exponential distribution, but not before an
// earlier one of its pair. Packets are lost (lost_packets.hpp). Each rank is interrupted for the
// same time once per period, from a random time on: it starts no message, and its computations take
// longer. Hoefler, Schneider, Lumsdaine, Characterizing the influence of system noise on
// large-scale applications by simulation, SC 2010.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "simulator/network.hpp"
#include "simulator/noise/lost_packets.hpp"
#include "simulator/noise/message_delays.hpp"

namespace arlab::simulator {

struct Noise {
  std::uint64_t seed = 0;
  Time jitter{};             ///< mean delay of a message
  Time detour{}, period{1};  ///< a rank is interrupted for `detour`, which is below `period`
  PacketLoss loss{};
};

class NoisyNetwork : public Network {
 public:
  NoisyNetwork(std::unique_ptr<Network> network, Rank ranks, const Noise& noise);

  Time can_send(Rank source, Time now) override;
  Sent send(const Message& message, Time now) override;
  Time can_receive(Rank target, Time now) override;
  Time receive(const Message& message, Time now) override;
  Time next_change() override;
  Change advance(Time now) override;
  void post_receive(const Message& message, Time now) override;
  void on_rendezvous(Rank source, Time now) override { network_->on_rendezvous(source, now); }
  Work reduce(Rank rank, Bytes bytes, Time now, bool sent) override;
  Work compute(Rank rank, Time duration, Time now) override;

 private:
  struct Held {  // has left the network, or will, and is late
    Time arrival{};
    std::uint64_t turn = 0;  // of those that arrive together
    std::uint32_t number = 0;
    bool operator>(const Held& other) const {
      return arrival != other.arrival ? arrival > other.arrival : turn > other.turn;
    }
  };

  bool is_late() const { return noise_.jitter > Time{}; }
  bool is_interrupted() const { return noise_.detour > Time{}; }
  void remember(const Message& message);
  void arrive(std::uint32_t number, Time now);
  Time after_detour(Rank rank, Time time) const;
  Work prolonged(Rank rank, const Work& work);

  std::unique_ptr<Network> network_;
  Noise noise_;
  MessageDelays delays_;
  LostPackets losses_;
  std::optional<UniformCosts> uniform_;  // of a network whose ranks are not interrupted
  std::vector<Time> first_detour_;       // of each rank; empty without
  std::vector<Message> sent_;            // by number, where arrivals are unknown
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
  std::uint64_t turns_ = 0;
  std::vector<std::uint32_t> arrived_, completed_;
};

}  // namespace arlab::simulator
