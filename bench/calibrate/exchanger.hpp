// Exchanger: single messages through a communicator, and repetitions of them that are timed.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab::bench {

/// Returns the median. Expects at least one value.
double median_of(std::vector<double> values);

class Exchanger {
 public:
  static constexpr int kLeastRuns = 5, kMostRuns = 200;  ///< of a series

  /// largest: bytes of a message. seconds: about as long as a series of repetitions takes.
  Exchanger(collectives::Communicator& communicator, Count largest, double seconds);

  Rank rank() const { return communicator_.rank(); }
  Rank ranks() const { return communicator_.ranks(); }
  double now() { return communicator_.clock().now(); }
  void sleep(double seconds) { communicator_.clock().sleep(seconds); }
  void barrier() { communicator_.barrier(); }
  double max(double value) { return communicator_.max(value); }

  /// Starts a message; wait() for it. Each has its own lane, which is free again then. Sizes
  /// are even.
  void send(int lane, Rank to, Count bytes);
  void receive(int lane, Rank from, Count bytes);
  /// Waits for that number of started messages.
  void wait(int messages);
  /// Waits for a message, and returns its lane.
  int wait_for_one() { return communicator_.wait(); }
  /// Sends to the peer and receives from it as one round, in messages of `piece` bytes at most.
  void round(Rank peer, Count bytes, Count piece);

  /// Sends a small message with a mark: received() is that of the latest received message.
  void ping(int lane, Rank to, bool mark);
  int received() const { return static_cast<int>(in_.front()); }

  /// Returns the median time of `body` over repetitions that begin with a barrier; the time of the
  /// slowest rank.
  double median_us(const std::function<void()>& body);
  /// Returns the times of a program on a vector of that many bytes, as the executor runs it: the
  /// vector has just been written. `part` of the time of a series.
  std::vector<double> samples_us(const Algorithm& algorithm, Count bytes,
                                 collectives::Operand operand, double part = 1);
  /// Returns the times of repetitions that begin with a barrier.
  std::vector<double> samples_us(const std::function<void()>& body);
  /// Returns the times of that number of repetitions.
  std::vector<double> samples_us(int repetitions, const std::function<void()>& body);
  /// Within a repetition: this rank's time ends now, or does not count.
  void stop_watch() { stopped_ = now(); }
  void forget() { stopped_ = 0; }

 private:
  void start(int lane, ActionKind kind, Rank peer, std::byte* data, Count bytes);
  double time_us(const std::function<void()>& body);
  std::vector<double> series_us(double seconds, const std::function<void()>& before,
                                const std::function<void()>& body);

  collectives::Communicator& communicator_;
  double seconds_;
  double stopped_ = -1;  // seconds; below 0: at the end of the repetition
  std::vector<std::byte> out_, in_;
  std::array<std::byte, 4> mark_{};
  std::vector<collectives::Transfer> transfers_;  // by lane: the round must outlive its start
  std::vector<collectives::Transfer> round_;
};

}  // namespace arlab::bench
