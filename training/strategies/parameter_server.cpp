#include "training/strategies/parameter_server.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/error.hpp"
#include "training/strategies/placement.hpp"

namespace arlab {
namespace {

// A worker's push travels on its own lane, and its pull on another.
class Lanes {
 public:
  explicit Lanes(Rank workers) : workers_(workers) {}
  int push(Rank worker) const { return worker; }
  int pull(Rank worker) const { return workers_ + worker; }
  bool is_push(int lane) const { return lane < workers_; }

 private:
  Rank workers_;
};

Transfer transfer(Verb verb, Rank peer, std::span<float> data) {
  return {verb, peer, std::as_writable_bytes(data).data(), static_cast<Count>(data.size())};
}

std::span<float> part(std::span<float> flat, const Variable& v) {
  return flat.subspan(static_cast<std::size_t>(v.offset), static_cast<std::size_t>(v.elements));
}

class Worker final : public Strategy {
 public:
  explicit Worker(const Station& station)
      : s_(station),
        lanes_(s_.workers),
        server_of_(place(s_.parameters.variables(), s_.ranks - s_.workers)) {}

  void finish_step(const Step& step) override {
    expect_finite(s_.parameters.variables(), 0, s_.parameters.gradients(), step.number);
    const double begin = s_.exchange.clock().now();
    Communicator& c = s_.exchange.communicator();
    const auto push = round(Verb::send, s_.parameters.gradients());
    c.start(lanes_.push(s_.rank), push, {});
    pull(1);
    s_.exchange.add_usage(s_.exchange.clock().now() - begin,
                          static_cast<Count>(s_.parameters.gradients().size() * sizeof(float)));
  }

  // What other workers have pushed since is pulled, too.
  void settle() override { pull(0); }

 private:
  std::vector<Transfer> round(Verb verb, std::span<float> flat) const {
    std::vector<Transfer> all;
    const auto variables = s_.parameters.variables();
    for (std::size_t v = 0; v < variables.size(); ++v)
      all.push_back(transfer(verb, s_.workers + server_of_[v], part(flat, variables[v])));
    return all;
  }

  void pull(int others) {
    Communicator& c = s_.exchange.communicator();
    const auto pull = round(Verb::replace, s_.parameters.weights());
    c.start(lanes_.pull(s_.rank), pull, {});
    for (int open = 1 + others; open > 0; --open) c.wait();
  }

  Station s_;
  Lanes lanes_;
  std::vector<Rank> server_of_;
};

class Server final : public Strategy {
 public:
  Server(const Station& station, bool synchronous)
      : s_(station), lanes_(s_.workers), synchronous_(synchronous), desks_(index(s_.workers)) {
    const auto variables = s_.parameters.variables();
    const std::vector<Rank> server_of = place(variables, s_.ranks - s_.workers);
    for (std::size_t v = 0; v < variables.size(); ++v)
      if (server_of[v] == s_.rank - s_.workers) mine_.push_back(variables[v]);
  }

  ~Server() override {
    if (!settled_) s_.exchange.abandon();
  }

  void start_epoch(Count steps) override {
    settled_ = false;
    for (Rank w = 0; w < s_.workers; ++w) {
      desks_[index(w)].pushes_left = steps;
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
  struct Desk {                 // of one worker
    std::vector<float> pushed;  // its gradient, all variables (those of others stay empty)
    std::vector<float> pulled;  // a copy of the weights, on its way to the worker
    std::vector<Transfer> in, out;
    Count pushes_left = 0;
    Count version = 0;  // of the weights it has
  };

  static std::size_t index(Count i) { return static_cast<std::size_t>(i); }

  void expect_from(Rank worker) {
    Desk& desk = desks_[index(worker)];
    if (mine_.empty() || desk.pushes_left == 0) return;
    --desk.pushes_left;
    desk.pushed.resize(s_.parameters.gradients().size());
    desk.in.clear();
    for (const Variable& v : mine_)
      desk.in.push_back(transfer(Verb::replace, worker, part(desk.pushed, v)));
    s_.exchange.communicator().start(lanes_.push(worker), desk.in, {});
  }

  void answer(Rank worker) {
    Desk& desk = desks_[index(worker)];
    desk.version = version_;
    desk.pulled.resize(s_.parameters.weights().size());
    desk.out.clear();
    for (const Variable& v : mine_) {
      const std::span<float> now = part(s_.parameters.weights(), v);
      const std::span<float> copy = part(desk.pulled, v);
      std::copy(now.begin(), now.end(), copy.begin());
      desk.out.push_back(transfer(Verb::send, worker, copy));
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

  void note(Rank worker) { ++staleness_[version_ - desks_[index(worker)].version]; }

  // Added by rank, so that the sum does not depend on who came first. All answers have arrived at
  // the end: between two steps the ranks may compare their replicas.
  void update_once(const Step& step) {
    for (Rank w = 0; w < s_.workers; ++w) expect_from(w);
    for (Rank pushes = 0; pushes < s_.workers; ++pushes) note(next_push());
    for (const Variable& v : mine_) {
      const std::span<float> sum = part(desks_.front().pushed, v);
      for (std::size_t w = 1; w < desks_.size(); ++w) {
        const std::span<const float> own = part(desks_[w].pushed, v);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
      }
    }
    update(desks_.front().pushed, step);
    for (Rank w = 0; w < s_.workers; ++w) answer(w);
    while (answers_ > 0) next_answer();
  }

  void update_by(Rank worker, const Step& step) {
    note(worker);
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

  Station s_;
  Lanes lanes_;
  bool synchronous_;
  std::vector<Variable> mine_;
  std::vector<Desk> desks_;  // by worker
  Count version_ = 0;
  int answers_ = 0;  // on their way
  bool settled_ = true;
  Staleness staleness_;
};

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(const Station& station, bool synchronous) {
  if (station.serves()) return std::make_unique<Server>(station, synchronous);
  return std::make_unique<Worker>(station);
}

std::string refuse_parameter_server(const Station& station) {
  if (station.options.servers >= 1 && station.workers >= 1) return "";
  return std::to_string(station.options.servers) + " parameter servers and " +
         std::to_string(station.workers) + " workers: there must be at least 1 of each";
}

}  // namespace arlab
