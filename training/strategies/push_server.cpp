// A parameter server: adds up what workers push, updates, and lets them pull the weights.
#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/base/error.hpp"
#include "training/strategies/placement.hpp"
#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {
namespace {

class Server final : public Strategy {
 public:
  Server(const StrategyContext& station, bool synchronous)
      : s_(station), lanes_(s_.workers), synchronous_(synchronous), desks_(index(s_.workers)) {
    const auto variables = s_.parameters.variables();
    const std::vector<Rank> server_of = place(variables, s_.ranks - s_.workers);
    for (std::size_t v = 0; v < variables.size(); ++v)
      if (server_of[v] == s_.rank - s_.workers) {
        mine_.push_back(variables[v]);
        number_of_.push_back(v);
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
      desks_[index(w)].push = first;
      desks_[index(w)].end = first + steps;
      if (!synchronous_) expect_from(w);
    }
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

  Staleness staleness() const override { return staleness_; }

 private:
  struct WorkerState {          // of one worker
    std::vector<float> pushed;  // its gradient, all variables (those of others stay empty)
    std::vector<float> pulled;  // a copy of the weights, on its way to the worker
    std::vector<std::vector<std::byte>> codes;  // the same compressed, by variable of mine_
    std::vector<collectives::Transfer> in, out;
    Count push = 0, end = 0;  // the number of the next one, and of the first beyond the epoch's
    Count version = 0;        // of the weights it has
  };

  void expect_from(Rank worker) {
    WorkerState& desk = desks_[index(worker)];
    if (mine_.empty() || desk.push == desk.end) return;
    desk.pushed.resize(s_.parameters.gradients().size());
    desk.codes.resize(mine_.size());
    desk.in.clear();
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      if (codes_) desk.codes[i].resize(index(codes_->bytes(number_of_[i], desk.push)));
      desk.in.push_back(codes_
                            ? transfer(ActionKind::replace, worker, std::span(desk.codes[i]))
                            : transfer(ActionKind::replace, worker, part(desk.pushed, mine_[i])));
    }
    s_.exchange.communicator().start(lanes_.push(worker), desk.in,
                                     codes_ ? kCodes : collectives::Operand{});
  }

  /// A worker's gradient is here, or its code.
  void take(Rank worker) {
    WorkerState& desk = desks_[index(worker)];
    for (std::size_t i = 0; codes_ && i < mine_.size(); ++i)
      codes_->decode(number_of_[i], desk.codes[i], part(desk.pushed, mine_[i]), worker, desk.push);
    ++desk.push;
    ++staleness_[version_ - desk.version];
  }

  void answer(Rank worker) {
    WorkerState& desk = desks_[index(worker)];
    desk.version = version_;
    desk.pulled.resize(s_.parameters.weights().size());
    desk.out.clear();
    for (const Variable& v : mine_) {
      const std::span<float> now = part(s_.parameters.weights(), v);
      const std::span<float> copy = part(desk.pulled, v);
      std::copy(now.begin(), now.end(), copy.begin());
      desk.out.push_back(transfer(ActionKind::send, worker, copy));
    }
    s_.exchange.communicator().start(lanes_.pull(worker), desk.out, {});
    ++answers_;
  }

  /// Waits for a worker's gradient; what was sent may arrive in the meantime.
  Rank next_push() {
    for (;;) {
      const int lane = s_.exchange.communicator().wait();
      if (lanes_.is_push(lane)) return lane;
      --answers_;
    }
  }
  void next_answer() {
    expects(!lanes_.is_push(s_.exchange.communicator().wait()), "a worker pushed once too often");
    --answers_;
  }

  // Added by rank, so that the sum does not depend on who came first. All answers have arrived at
  // the end: between two steps the ranks may compare their replicas.
  void update_once(const Step& step) {
    for (Rank w = 0; w < s_.workers; ++w) expect_from(w);
    for (Rank pushes = 0; pushes < s_.workers; ++pushes) take(next_push());
    for (std::size_t m = 0; m < mine_.size(); ++m) {
      const Variable& v = mine_[m];
      const std::span<float> sum = part(desks_.front().pushed, v);
      for (std::size_t w = 1; w < desks_.size(); ++w) {
        const std::span<const float> own = part(desks_[w].pushed, v);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
      }
      if (codes_) codes_->finish(number_of_[m], sum, step.number);
    }
    update(desks_.front().pushed, step);
    for (Rank w = 0; w < s_.workers; ++w) answer(w);
    while (answers_ > 0) next_answer();
  }

  void update_by(Rank worker, const Step& step) {
    take(worker);
    update(desks_[index(worker)].pushed, step);
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
  std::vector<std::size_t> number_of_;  // of each of mine_ among all
  std::optional<PushCodes> codes_;
  std::vector<WorkerState> desks_;  // by worker
  Count version_ = 0;
  int answers_ = 0;  // on their way
  bool settled_ = true;
  Staleness staleness_;
};

}  // namespace

std::unique_ptr<Strategy> make_push_server(const StrategyContext& station, bool synchronous) {
  return std::make_unique<Server>(station, synchronous);
}

}  // namespace arlab::training
