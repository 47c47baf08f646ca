// stale_synchronous: workers send gradients directly to all others, and continue while they are at
// most s steps ahead of the slowest.
//
// It is decentralized: every worker holds all weights and in each step applies the sum of the
// gradients that have arrived, by clock and rank. Gradients of later clocks than its own wait. With
// s = 0 that is the sum over all workers in every step. Ho et al., More Effective Distributed ML
// via a Stale Synchronous Parallel Parameter Server, NIPS 2013.
#include <algorithm>
#include <deque>

#include "algorithms/base/error.hpp"
#include "training/simulation/direct.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training::strategy_catalog {
namespace {

class StaleSynchronous final : public Strategy {
 public:
  explicit StaleSynchronous(const StrategyContext& context)
      : s_(context),
        bound_(context.count("staleness")),
        slots_(2 * bound_ + 2),
        arrived_(index(s_.workers)),
        clock_of_(index(s_.workers)),
        outgoing_(index(slots_)) {
    incoming_.resize(index(s_.workers));
  }

  ~StaleSynchronous() override {
    if (!settled_) s_.exchange.abandon();
  }

  void start_epoch(Count /*first*/, Count steps) override {
    settled_ = false;
    steps_left_ = steps;
    end_clock_ = clock_ + steps;
    for (Rank peer = 0; peer < s_.workers; ++peer)
      if (peer != s_.rank && clock_of(peer) < end_clock_) expect_from(peer);
  }

  void finish_step(const Step& step) override {
    const double begin = s_.exchange.clock().now();
    expect_finite(s_.parameters.variables(), 0, s_.parameters.gradients(), step.number);
    send_own();
    ++clock_;
    clock_of(s_.rank) = clock_;
    while (slowest() < clock_ - bound_) take(s_.exchange.communicator().wait());
    for (int lane = poll(); lane >= 0; lane = poll()) take(lane);
    note_lead();
    apply(step, clock_);
    --steps_left_;
    s_.exchange.add_usage(s_.exchange.clock().now() - begin, own_bytes() * (s_.workers - 1));
  }

  // Receives and applies all gradients; then averages the replicas, which differ by rounding and in
  // the grouping of the gradients that their optimizers applied.
  void settle() override {
    expects(steps_left_ == 0, "settle() is called before the epoch's last step");
    const double begin = s_.exchange.clock().now();
    while (slowest() < end_clock_) take(s_.exchange.communicator().wait());
    while (std::any_of(outgoing_.begin(), outgoing_.end(), [](const auto& o) { return o.open; }))
      take(s_.exchange.communicator().wait());
    bool any = false;
    for (const auto& queue : arrived_) any |= !queue.empty();
    if (any) apply(last_, end_clock_);
    settled_ = true;
    s_.exchange.add_usage(s_.exchange.clock().now() - begin, 0);
    if (bound_ > 0) average(s_, {clock_, 0, 0, Phase::weights}, s_.parameters.weights());
  }

 private:
  struct Gradient {
    Count clock;
    std::vector<float> values;
  };
  struct Outgoing {
    std::vector<float> values;
    bool open = false;
  };

  Count& clock_of(Rank r) { return clock_of_[index(r)]; }
  Count slowest() const { return *std::min_element(clock_of_.begin(), clock_of_.end()); }
  Count own_bytes() { return static_cast<Count>(s_.parameters.gradients().size() * sizeof(float)); }
  // Identifies the gradient's rank, and its step among those that can be in progress.
  int lane(Rank from, Count clock) const {
    return static_cast<int>(from * slots_ + clock % slots_);
  }
  int poll() { return s_.workers > 1 ? s_.exchange.communicator().poll() : -1; }

  void send_own() {
    const std::span<const float> own = s_.parameters.gradients();
    arrived_[index(s_.rank)].push_back({clock_, {own.begin(), own.end()}});
    if (s_.workers == 1) return;
    Outgoing& out = outgoing_[index(clock_ % slots_)];
    while (out.open) take(s_.exchange.communicator().wait());
    out.values.assign(own.begin(), own.end());
    out.open = true;
    std::vector<collectives::Transfer> round;
    for (Rank peer = 0; peer < s_.workers; ++peer)
      if (peer != s_.rank) round.push_back(transfer(ActionKind::send, peer, out.values));
    s_.exchange.communicator().start(lane(s_.rank, clock_), round, {});
  }

  void expect_from(Rank peer) {
    std::vector<float>& into = incoming_[index(peer)];
    into.resize(s_.parameters.gradients().size());
    const collectives::Transfer round[] = {transfer(ActionKind::replace, peer, into)};
    s_.exchange.communicator().start(lane(peer, clock_of(peer)), round, {});
  }

  static collectives::Transfer transfer(ActionKind kind, Rank peer, std::vector<float>& values) {
    return {kind, peer, reinterpret_cast<std::byte*>(values.data()),
            static_cast<Count>(values.size())};
  }

  // Handles a completed round: a send of this rank, or a peer's gradient.
  void take(int lane) {
    const auto peer = static_cast<Rank>(lane / slots_);
    if (peer == s_.rank) {
      outgoing_[index(lane % slots_)].open = false;
      return;
    }
    arrived_[index(peer)].push_back({clock_of(peer), incoming_[index(peer)]});
    if (++clock_of(peer) < end_clock_) expect_from(peer);
  }

  /// Records the lead over the slowest worker, as far as known here; it never exceeds the bound.
  void note_lead() {
    const Count lead = clock_ - slowest();
    expects(lead <= bound_, "a worker is further ahead than the bound allows");
    ++staleness_[std::max<Count>(lead, 0)];
  }

  void apply(const Step& step, Count before) {
    const std::span<float> sum = s_.parameters.gradients();
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (Count clock = oldest(); clock < before; ++clock)
      for (auto& queue : arrived_)
        if (!queue.empty() && queue.front().clock == clock) {
          const std::vector<float>& values = queue.front().values;
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
          queue.pop_front();
        }
    apply_all(s_, step);
    last_ = step;
  }

  Count oldest() const {
    Count clock = clock_;
    for (const auto& queue : arrived_)
      if (!queue.empty()) clock = std::min(clock, queue.front().clock);
    return clock;
  }

  StrategyContext s_;
  Count bound_, slots_;
  std::vector<std::deque<Gradient>> arrived_;  // by rank, not yet applied
  std::vector<Count> clock_of_;                // by rank: gradients received (own: computed)
  std::vector<Outgoing> outgoing_;
  std::vector<std::vector<float>> incoming_;  // by rank: buffer of the next gradient
  Count clock_ = 0, end_clock_ = 0, steps_left_ = 0;
  bool settled_ = true;
  Step last_;
};

std::unique_ptr<Strategy> make(const StrategyContext& context) {
  return std::make_unique<StaleSynchronous>(context);
}

std::string unsupported_reason(const StrategyContext& context) {
  constexpr Count kLanes = 4096;
  const Count bound = context.count("staleness"), max = (kLanes / context.workers - 2) / 2;
  if (bound <= max) return "";
  return "the staleness bound is " + std::to_string(bound) + ": use 0 (synchronous) to " +
         std::to_string(max);
}

}  // namespace

StrategyKind stale_synchronous() {
  return {
      .name = "stale_synchronous",
      .summary =
          "sends gradients directly to all workers, which stay at most s steps ahead of the "
          "slowest",
      .source = "Ho et al., NIPS 2013",
      .parameters = {{"staleness", Parameter::Unit::count, "1",
                      "steps that a worker may be ahead of the slowest; 0: synchronous", 0,
                      kMostSteps}},
      .synchronous = false,
      .equal_replicas = false,
      .direct = true,
      .own_moments = true,
      .make = make,
      .unsupported_reason = unsupported_reason,
      .simulate = simulate_stale,
  };
}

}  // namespace arlab::training::strategy_catalog
