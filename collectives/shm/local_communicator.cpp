#include "collectives/shm/local_communicator.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/relax.hpp"
#include "collectives/shm/shared_channels.hpp"
#include "collectives/shm/shared_round.hpp"
#include "collectives/shm/started_rounds.hpp"

namespace arlab::collectives {
namespace {

constexpr int kMeasuringLane = Slots::kLanes - 1;

std::vector<Rank> numbers(Rank ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

class LocalCommunicator final : public Communicator {
 public:
  LocalCommunicator(std::byte* memory, Rank me, Rank ranks, Rest rest)
      : Communicator(me, ranks),
        channels_(Slots(memory, ranks), me, numbers(ranks), nullptr),
        rest_(std::move(rest)) {}

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    rounds_.of(lane).start(channels_, lane, round, operand);
    rounds_.add(lane);
  }

  int wait() override {
    expects(!rounds_.empty(), "wait() without a started lane");
    for (int polls = 0;; ++polls) {
      const auto [done, any] = rounds_.progress();
      if (done >= 0) return done;
      if (any || rounds_.stage_one())
        polls = 0;
      else if (polls < kPollsBeforeRest)
        relax();
      else
        rest_(polls, rounds_.bytes_in_progress());
    }
  }

  int poll() override {
    const auto [done, any] = rounds_.progress();
    if (done < 0 && !any) rounds_.stage_one();
    return done;
  }

  void abandon() noexcept override { rounds_.abandon(); }

  void barrier() override { sum(0); }
  double max(double value) override {
    const std::vector<double> all = values(value);
    return *std::max_element(all.begin(), all.end());
  }
  Count sum(Count value) override {
    const std::vector<Count> all = values(value);
    return std::accumulate(all.begin(), all.end(), Count{0});
  }

 private:
  // Of all ranks.
  template <class Value>
  std::vector<Value> values(Value mine) {
    std::vector<Value> all(static_cast<std::size_t>(ranks()), mine);
    std::vector<Transfer> round;
    for (Rank peer = 0; peer < ranks(); ++peer) {
      if (peer == rank()) continue;
      auto* const its = reinterpret_cast<std::byte*>(&all[static_cast<std::size_t>(peer)]);
      round.push_back({ActionKind::send, peer, reinterpret_cast<std::byte*>(&mine), sizeof mine});
      round.push_back({ActionKind::replace, peer, its, sizeof mine});
    }
    if (!round.empty()) exchange(kMeasuringLane, round, {DType::byte, Op::sum});
    return all;
  }

  SharedChannels channels_;
  Rest rest_;
  StartedRounds<SharedRound> rounds_;
};

}  // namespace

std::size_t local_communicator_bytes(Rank ranks) { return Slots::bytes_for(ranks); }

std::unique_ptr<Communicator> local_communicator(std::byte* memory, Rank me, Rank ranks,
                                                 Rest rest) {
  return std::make_unique<LocalCommunicator>(memory, me, ranks, std::move(rest));
}

}  // namespace arlab::collectives
