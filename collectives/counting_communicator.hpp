// CountingCommunicator: counts the messages and bytes that this rank sends through another
// communicator, and the time that it spends there.
#pragma once

#include "collectives/communicator.hpp"

namespace arlab::collectives {

struct Traffic {
  Count messages = 0;
  Count bytes = 0;
  bool operator==(const Traffic&) const = default;
};
inline Traffic operator-(const Traffic& a, const Traffic& b) {
  return {a.messages - b.messages, a.bytes - b.bytes};
}

/// Messages of the library's own collectives do not count, since it does not report them; their
/// time does.
class CountingCommunicator final : public Communicator, private Baseline {
 public:
  /// The other must outlive this one.
  explicit CountingCommunicator(Communicator& other)
      : Communicator(other.rank(), other.ranks(), other.services()),
        other_(other),
        library_(other.baseline()) {
    services_.baseline = this;
  }

  Traffic sent() const { return sent_; }
  /// Time spent in starting rounds and waiting for them.
  double seconds() const { return seconds_; }
  /// The communicator that it counts: for messages that do not count.
  Communicator& uncounted() { return other_; }
  /// Counts what this rank sent another way.
  void add(const Traffic& sent, double seconds) {
    sent_.messages += sent.messages;
    sent_.bytes += sent.bytes;
    seconds_ += seconds;
  }

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    count(round, operand);
    timed([&] { other_.start(lane, round, operand); });
  }
  void exchange(int lane, std::span<const Transfer> round, Operand operand) override {
    count(round, operand);
    timed([&] { other_.exchange(lane, round, operand); });
  }
  int wait() override {
    int lane = 0;
    timed([&] { lane = other_.wait(); });
    return lane;
  }
  int poll() override { return other_.poll(); }
  void abandon() noexcept override { other_.abandon(); }
  std::vector<Rank> machines() override { return other_.machines(); }
  void barrier() override { other_.barrier(); }
  double max(double value) override { return other_.max(value); }
  Count sum(Count value) override { return other_.sum(value); }

 private:
  // Baseline: what training calls of it.
  std::string name_of(const Problem& problem) const override { return library_.name_of(problem); }
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    timed([&] { library_.run(problem, from, into, operand); });
  }
  void use(const std::string& algorithm) override { library_.use(algorithm); }

  void count(std::span<const Transfer> round, Operand operand) {
    for (const Transfer& t : round)
      if (t.kind == ActionKind::send) {
        ++sent_.messages;
        sent_.bytes += t.elements * static_cast<Count>(size_of(operand.dtype));
      }
  }
  template <class Use>
  void timed(Use use) {
    const double begin = clock().now();
    use();
    seconds_ += clock().now() - begin;
  }

  Communicator& other_;
  Baseline& library_;
  Traffic sent_;
  double seconds_ = 0;
};

}  // namespace arlab::collectives
