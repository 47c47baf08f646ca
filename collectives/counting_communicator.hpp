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

class CountingCommunicator final : public Communicator {
 public:
  /// The other must outlive this one.
  explicit CountingCommunicator(Communicator& other) : other_(other) {}

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

  Rank rank() const override { return other_.rank(); }
  Rank ranks() const override { return other_.ranks(); }
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    count(round, operand);
    timed([&] { other_.start(lane, round, operand); });
  }
  void set_turn(int lane, Turn turn) override { other_.set_turn(lane, turn); }
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
  void check_ranks() const override { other_.check_ranks(); }
  std::vector<Rank> machines() override { return other_.machines(); }
  std::shared_ptr<std::byte[]> allocate(std::size_t bytes) override {
    return other_.allocate(bytes);
  }
  std::string transport() const override { return other_.transport(); }
  Place* place() override { return other_.place(); }
  std::vector<SeenPlace> places() const override { return other_.places(); }
  Clock& clock() override { return other_.clock(); }
  void barrier() override { other_.barrier(); }
  double max(double value) override { return other_.max(value); }
  Count sum(Count value) override { return other_.sum(value); }
  std::string native_name() const override { return other_.native_name(); }
  /// Not counted: the library does not report its messages.
  void native_allreduce(std::byte* data, Count elements, Operand operand) override {
    timed([&] { other_.native_allreduce(data, elements, operand); });
  }
  std::string native_name_for(const Problem& problem) const override {
    return other_.native_name_for(problem);
  }
  void native_collective(const Problem& problem, std::byte* data, Operand operand) override {
    timed([&] { other_.native_collective(problem, data, operand); });
  }
  void native_collective(const Problem& problem, const std::byte* from, std::byte* into,
                         Operand operand) override {
    timed([&] { other_.native_collective(problem, from, into, operand); });
  }
  std::vector<std::string> native_algorithms() override { return other_.native_algorithms(); }
  std::string native_label(const std::string& spec) const override {
    return other_.native_label(spec);
  }
  void use_native(const std::string& spec) override { other_.use_native(spec); }
  SentMessages sent_messages() override { return other_.sent_messages(); }

 private:
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
  Traffic sent_;
  double seconds_ = 0;
};

}  // namespace arlab::collectives
