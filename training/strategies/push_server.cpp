// A parameter server: sums what workers push, updates the weights, and sends them to the workers.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "training/strategies/placement.hpp"
#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {
namespace {

class Server final : public Strategy {
 public:
  Server(const StrategyContext& context, bool synchronous)
      : s_(context), lanes_(s_.workers), synchronous_(synchronous), peers_(index(s_.workers)) {
    const auto variables = s_.parameters.variables();
    const std::vector<Rank> server_of = place(variables, s_.ranks - s_.workers);
    for (std::size_t v = 0; v < variables.size(); ++v)
      if (server_of[v] == s_.rank - s_.workers && variables[v].elements > 0) {
        mine_.push_back(variables[v]);
        number_of_.push_back(v);
        bytes_ += variables[v].elements * static_cast<Count>(sizeof(float));
      }
    if (s_.options.gradients.compressor)
      codes_.emplace(s_.options.gradients, variables, s_.workers);
  }

  ~Server() override {
    if (!settled_) s_.exchange.abandon();
  }

  void start_epoch(Count first, Count steps) override {
    settled_ = false;
    for (Rank w = 0; w < s_.workers; ++w) {
      peers_[index(w)].push = first;
      peers_[index(w)].end = first + steps;
      expect_from(w);
    }
    expects_ = true;
  }

  void finish_step(const Step& step) override {
    if (mine_.empty()) return;  // fewer variables than servers
    if (synchronous_)
      update_once(step);
    else
      for (Rank pushes = 0; pushes < s_.workers; ++pushes) update_by(next_push(), step);
  }

  void settle() override {
    if (!mine_.empty()) {
      while (answers_ > 0) next_answer();
      for (Rank w = 0; w < s_.workers; ++w) answer(w);
      while (answers_ > 0) next_answer();
    }
    settled_ = true;
  }

 private:
  struct WorkerState {
    std::vector<float> pushed;  // its gradient (other servers' variables stay unused)
    std::vector<float> pulled;  // copy of the weights in transit to the worker
    std::vector<std::vector<std::byte>> codes;  // its compressed gradient, by variable of mine_
    std::vector<collectives::Transfer> in, out;
    Count push = 0, end = 0;  // numbers of its next push and of the first after the epoch
    Count version = 0;        // of its weights
  };

  void expect_from_all() {
    for (Rank w = 0; w < s_.workers; ++w) expect_from(w);
  }

  void expect_from(Rank worker) {
    WorkerState& peer = peers_[index(worker)];
    if (mine_.empty() || peer.push == peer.end) return;
    peer.pushed.resize(s_.parameters.gradients().size());
    peer.codes.resize(mine_.size());
    peer.in.clear();
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      if (codes_) peer.codes[i].resize(index(codes_->bytes(number_of_[i], peer.push)));
      peer.in.push_back(codes_
                            ? transfer(ActionKind::replace, worker, std::span(peer.codes[i]))
                            : transfer(ActionKind::replace, worker, part(peer.pushed, mine_[i])));
    }
    s_.exchange.communicator().start(lanes_.push(worker), peer.in,
                                     codes_ ? kCodes : collectives::Operand{});
  }

  /// Takes a worker's gradient, or its code, after arrival.
  void take(Rank worker) {
    WorkerState& peer = peers_[index(worker)];
    const double begin = s_.exchange.clock().now();
    if (codes_) {
      const auto elements = static_cast<double>(bytes_) / sizeof(float);
      s_.exchange.clock().begin_compute(elements * s_.options.gradients.codec.decode);
      s_.exchange.clock().end_compute();  // the rest takes no simulated time
    }
    for (std::size_t i = 0; codes_ && i < mine_.size(); ++i)
      codes_->decode(number_of_[i], peer.codes[i], part(peer.pushed, mine_[i]), worker, peer.push);
    if (codes_) coding_ += s_.exchange.clock().now() - begin;
    ++peer.push;
    ++staleness_[version_ - peer.version];
  }

  void answer(Rank worker) {
    WorkerState& peer = peers_[index(worker)];
    peer.version = version_;
    peer.pulled.resize(s_.parameters.weights().size());
    peer.out.clear();
    for (const Variable& v : mine_) {
      const std::span<float> now = part(s_.parameters.weights(), v);
      const std::span<float> copy = part(peer.pulled, v);
      std::copy(now.begin(), now.end(), copy.begin());
      peer.out.push_back(transfer(ActionKind::send, worker, copy));
    }
    collectives::Communicator& communicator = s_.exchange.communicator();
    communicator.set_turn(lanes_.pull(worker), {.piece = replies_++});  // in the order of pushes
    communicator.start(lanes_.pull(worker), peer.out, {});
    s_.exchange.add_usage(0, bytes_, std::exchange(coding_, 0));
    ++answers_;
  }

  /// Waits for a worker's gradient. Meanwhile replies may complete.
  Rank next_push() {
    for (;;) {
      const int lane = s_.exchange.communicator().wait();
      if (lanes_.is_push(lane)) return lane;
      --answers_;
    }
  }
  void next_answer() {
    expects(!lanes_.is_push(s_.exchange.communicator().wait()), "a worker pushed too many times");
    --answers_;
  }

  // Adds gradients by rank, so that the sum does not depend on their order of arrival. A worker
  // that has its weights computes and pushes while others still wait for theirs: links carry both
  // directions at once. Before the ranks compare their replicas, nothing may be in progress.
  void update_once(const Step& step) {
    if (!expects_) expect_from_all();
    for (Rank pushes = 0; pushes < s_.workers; ++pushes) take(next_push());
    while (answers_ > 0) next_answer();  // who has pushed again has its weights
    for (std::size_t m = 0; m < mine_.size(); ++m) {
      const Variable& v = mine_[m];
      const std::span<float> sum = part(peers_.front().pushed, v);
      for (std::size_t w = 1; w < peers_.size(); ++w) {
        const std::span<const float> own = part(peers_[w].pushed, v);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
      }
      if (codes_) codes_->finish(number_of_[m], sum, step.number);
    }
    update(peers_.front().pushed, step);
    for (Rank w = 0; w < s_.workers; ++w) answer(w);
    const Count every = s_.options.check_every;
    expects_ = every == 0 || (step.number + 1) % every != 0;
    if (expects_)
      expect_from_all();
    else
      while (answers_ > 0) next_answer();
  }

  void update_by(Rank worker, const Step& step) {
    take(worker);
    update(peers_[index(worker)].pushed, step);
    answer(worker);
    expect_from(worker);
  }

  void update(std::span<float> gradients, const Step& step) {
    s_.optimizer.start_step(step.learning_rate);
    for (const Variable& v : mine_) {
      const std::span<const float> gradient = part(gradients, v);
      expect_finite({&v, 1}, v.offset, gradient, step.number);
      s_.optimizer.apply(v.offset, part(s_.parameters.weights(), v), gradient);
    }
    ++version_;
  }

  StrategyContext s_;
  PushPullLanes lanes_;
  bool synchronous_;
  std::vector<Variable> mine_;
  std::vector<std::size_t> number_of_;  // index of each of mine_ among all variables
  Count bytes_ = 0;                     // of mine_
  std::optional<PushCodes> codes_;
  std::vector<WorkerState> peers_;  // by worker
  Count version_ = 0;
  int answers_ = 0;    // replies in progress
  std::int32_t replies_ = 0;
  double coding_ = 0;  // seconds since the last reply began
  bool settled_ = true;
  bool expects_ = false;  // pushes of the next step
};

}  // namespace

std::unique_ptr<Strategy> make_push_server(const StrategyContext& context, bool synchronous) {
  return std::make_unique<Server>(context, synchronous);
}

}  // namespace arlab::training
