// SlowRanks: a network in which some ranks reduce more slowly than others.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::training {

class SlowRanks final : public simulator::Network {
 public:
  /// The other network must outlive this one. slowdown: factors by rank; empty: all 1.
  SlowRanks(simulator::Network& other, std::vector<double> slowdown)
      : Network(other.traits()), other_(other), slowdown_(std::move(slowdown)) {
    traits_.uniform = nullptr;
    traits_.shortcuts = nullptr;
    traits_.knows_sent = false;
  }

  Time can_send(Rank source, Time now) override { return other_.can_send(source, now); }
  Sent send(const simulator::Message& message, Time now) override {
    return other_.send(message, now);
  }
  Time can_receive(Rank target, Time now) override { return other_.can_receive(target, now); }
  Time receive(const simulator::Message& message, Time now) override {
    return other_.receive(message, now);
  }
  void post_receive(const simulator::Message& message, Time now) override {
    other_.post_receive(message, now);
  }
  Time next_change() override { return other_.next_change(); }
  Change advance(Time now) override { return other_.advance(now); }
  void on_rendezvous(Rank source, Time now) override { other_.on_rendezvous(source, now); }

  /// A factor of 2 has the effect of twice as many bytes.
  Work reduce(Rank rank, Bytes bytes, Time now, bool sent) override {
    if (!slowdown_.empty())
      bytes = std::llround(static_cast<double>(bytes) * slowdown_[static_cast<std::size_t>(rank)]);
    return other_.reduce(rank, bytes, now, sent);
  }
  Work compute(Rank rank, Time duration, Time now) override {
    if (!slowdown_.empty())
      duration = to_time(picoseconds(duration) * slowdown_[static_cast<std::size_t>(rank)]);
    return other_.compute(rank, duration, now);
  }

 private:
  simulator::Network& other_;
  std::vector<double> slowdown_;
};

}  // namespace arlab::training
