// A worker of parameter servers: pushes its gradients and pulls the weights.
#include <algorithm>
#include <optional>
#include <vector>

#include "training/strategies/placement.hpp"
#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {
namespace {

class PushWorker final : public Strategy {
 public:
  explicit PushWorker(const StrategyContext& context)
      : s_(context),
        lanes_(s_.workers),
        server_of_(place(s_.parameters.variables(), s_.ranks - s_.workers)) {
    if (s_.options.gradients.compressor)
      codes_.emplace(s_.options.gradients, s_.parameters.variables(), s_.workers);
  }

  ~PushWorker() override {
    if (is_open_) s_.exchange.abandon();
  }

  void start_step(const Step&) override {
    if (!scheduler_.offset || steps_ > kAlone) return;
    const double now = s_.exchange.clock().now(), exposed = s_.exchange.usage().exposed;
    if (steps_ == 0) first_exposed_ = exposed;
    if (steps_ > 0) {
      const double computed = now - begin_ - (exposed - exposed_);
      computed_ = steps_ == 1 ? computed : std::min(computed_, computed);
    }
    begin_ = now, exposed_ = exposed;
    if (steps_++ == kAlone) stagger();
  }

  void finish_step(const Step& step) override {
    expect_finite(s_.parameters.variables(), 0, s_.parameters.gradients(), step.number);
    const double begin = s_.exchange.clock().now();
    collectives::Communicator& c = s_.exchange.communicator();
    const auto push =
        codes_ ? codes(step.number) : round(ActionKind::send, s_.parameters.gradients());
    const double codec = codes_ ? s_.exchange.clock().now() - begin : 0;
    const collectives::Operand operand = codes_ ? kCodes : collectives::Operand{};
    is_open_ = true;
    c.start(lanes_.push(s_.rank), push, operand);
    pull(1);
    is_open_ = false;
    Count bytes = 0;
    for (const collectives::Transfer& t : push)
      bytes += t.elements * static_cast<Count>(collectives::size_of(operand.dtype));
    s_.exchange.add_usage(s_.exchange.clock().now() - begin, bytes, codec);
  }

  // Also pulls what other workers have pushed since.
  void settle() override {
    const double begin = s_.exchange.clock().now();
    pull(0);
    s_.exchange.add_usage(s_.exchange.clock().now() - begin, 0);
  }

  State state() override { return codes_ ? codes_->state() : State{}; }
  void restore(State state) override {
    if (codes_) codes_->restore(state);
  }

 private:
  std::vector<collectives::Transfer> round(ActionKind kind, std::span<float> flat) const {
    std::vector<collectives::Transfer> all;
    const auto variables = s_.parameters.variables();
    for (std::size_t v = 0; v < variables.size(); ++v)
      if (variables[v].elements > 0)
        all.push_back(transfer(kind, s_.workers + server_of_[v], part(flat, variables[v])));
    return all;
  }

  // All workers on a server's link began together, so their bursts collided, and each took as many
  // times longer as there are workers. From here on each worker lags its predecessor by a fraction
  // of an iteration. It keeps that distance, because workers do not wait for each other. The least
  // computation counts: in the first steps, libraries start and caches fill.
  void stagger() {
    const double exposed = exposed_ - first_exposed_;
    const double iteration = (kAlone * computed_ + exposed / s_.workers) / kAlone;
    const Profile profile{{"all", Time{}, to_time(iteration * kPicosecondsPerSecond), 0, {}}};
    const Time offset = scheduler_.offset(profile, {}, s_.rank, s_.workers);
    s_.exchange.clock().sleep(picoseconds(offset) / kPicosecondsPerSecond);
  }

  std::vector<collectives::Transfer> codes(Count push) {
    std::vector<collectives::Transfer> all;
    const auto variables = s_.parameters.variables();
    s_.exchange.clock().begin_compute(static_cast<double>(s_.parameters.gradients().size()) *
                                      s_.options.gradients.codec.encode);
    s_.exchange.clock().end_compute();  // the rest takes no simulated time
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].elements == 0) continue;
      all.push_back(transfer(
          ActionKind::send, s_.workers + server_of_[v],
          codes_->encode(v, part(s_.parameters.gradients(), variables[v]), s_.rank, push)));
    }
    return all;
  }

  void pull(int others) {
    collectives::Communicator& c = s_.exchange.communicator();
    const auto pull = round(ActionKind::replace, s_.parameters.weights());
    c.start(lanes_.pull(s_.rank), pull, {});
    for (int open = 1 + others; open > 0; --open) c.wait();
  }

  StrategyContext s_;
  PushPullLanes lanes_;
  std::vector<Rank> server_of_;
  std::optional<PushCodes> codes_;
  static constexpr int kAlone = 3;  // steps that measure the time of an iteration
  const SchedulerKind& scheduler_ = find_scheduler(s_.options.gradients.scheduler);
  bool is_open_ = false;  // a push is in progress and reads codes of this object
  int steps_ = 0;
  double begin_ = 0, exposed_ = 0, first_exposed_ = 0;  // when the last, or the first of them began
  double computed_ = 0;                                 // seconds, the least of a step
};

}  // namespace

std::unique_ptr<Strategy> make_push_worker(const StrategyContext& context) {
  return std::make_unique<PushWorker>(context);
}

}  // namespace arlab::training
