// Parameter servers and their workers, without threads: the messages of push_worker.cpp and
// push_server.cpp.
#include <algorithm>
#include <deque>

#include "training/emulation/seconds.hpp"
#include "training/profiles/coded_tensor.hpp"
#include "training/simulation/direct.hpp"
#include "training/strategies/placement.hpp"
#include "training/strategies/push_and_pull.hpp"

namespace arlab::training {
namespace {

using simulator::PostedAction;

class Servers {
 public:
  // one_reply: a server begins a reply when the one before has left.
  Servers(const TrainingPlan& plan, DirectWorld& world, bool one_reply)
      : plan_(plan),
        world_(world),
        synchronous_(plan.strategy->synchronous),
        one_reply_(one_reply),
        lanes_(plan.workers()),
        workers_(static_cast<std::size_t>(plan.workers())),
        servers_(static_cast<std::size_t>(plan.servers)) {
    std::vector<Variable> variables;
    for (const Layer& l : plan.layers)
      variables.push_back({.name = l.name, .elements = l.elements});
    const std::vector<Rank> server_of = place(variables, plan.servers);
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (variables[v].elements == 0) continue;
      tensors_.push_back({variables[v].elements, plan.workers() + server_of[v]});
      elements_ += variables[v].elements;
      Server& owner = server(tensors_.back().server);
      owner.mine.push_back(tensors_.size() - 1);
      owner.elements += variables[v].elements;
    }
    if (plan.compression) aggregation_ = push_aggregation(plan.compression->choice);
    const auto fullest =
        std::max_element(servers_.begin(), servers_.end(),
                         [](const Server& a, const Server& b) { return a.elements < b.elements; });
    fullest_ = plan.workers() + static_cast<Rank>(fullest - servers_.begin());
  }

  SimulatedSteps run() {
    SimulatedSteps result = world_.run({
        .copied = [this](Rank r) { plan_.serves(r) ? serve(r) : begin_step(r); },
        .computed = [this](Rank r) { computed(r); },
        .coded = [this](Rank r) { plan_.serves(r) ? decoded(r) : push(r); },
        .ended =
            [this](Rank r, std::int32_t lane) {
              plan_.serves(r) ? server_ended(r, lane) : worker_ended(r);
            },
    });
    double pushed = 0;
    for (int step = 0; step < plan_.steps; ++step) pushed += push_bytes(step);
    result.codec = encoding_.mean() + plan_.workers() * decoding_.mean();
    result.sent = plan_.workers() * (pushed / plan_.steps + 4. * static_cast<double>(elements_)) /
                  plan_.ranks;
    return result;
  }

 private:
  struct Tensor {
    Count elements = 0;
    Rank server = 0;
  };
  struct Worker {
    Time begin{};                      // of the exchange
    double exposed = 0, first_at = 0;  // seconds: of all steps, and the begin of the first one
    int open = 0;                      // push and pull
  };
  struct Server {
    std::vector<std::size_t> mine;  // tensors
    Count elements = 0;
    std::deque<Rank> arrived;  // workers whose push waits to be decoded
    std::deque<Rank> replies;  // workers whose reply waits to begin
    std::vector<int> pushes;   // by worker: the number of the push that is expected
    bool decodes = false;
    std::int32_t sent = 0;         // replies, which leave in the order of pushes
    Rank taken = 0, replying = 0;  // pushes of this step, and replies that are in progress or wait
  };

  struct Coding {
    double all = 0;  // picoseconds
    Count codes = 0;
    void add(Time took) {
      all += picoseconds(took);
      ++codes;
    }
    double mean() const { return codes > 0 ? all / static_cast<double>(codes) : 0; }
  };

  Worker& worker(Rank r) { return workers_[static_cast<std::size_t>(r)]; }
  Server& server(Rank r) { return servers_[static_cast<std::size_t>(r - plan_.workers())]; }

  // The bytes of the tensor in a push.
  Bytes pushed(const Tensor& t, int push) const {
    if (!plan_.compression) return t.elements * kGradientBytes;
    const CompressorChoice& choice = plan_.compression->choice;
    const Count n = elements_in(t.elements, plan_.gradient_bytes);
    return choice.kind->packed(flat(n), choice, aggregation_, push).value();
  }
  double push_bytes(int push) const {
    double all = 0;
    for (const Tensor& t : tensors_) all += static_cast<double>(pushed(t, push));
    return all;
  }
  // `words`: of gradients.
  Time coding(Count words, double each) const {
    return to_time(static_cast<double>(elements_in(words, plan_.gradient_bytes)) * each *
                   kPicosecondsPerSecond);
  }

  // Of a worker.

  void begin_step(Rank r) {
    constexpr int kAlone = 3;  // steps before schedulers with an offset delay a worker
    Worker& w = worker(r);
    const int step = world_.step_of(r) + 1;
    if (step == 0) w.first_at = seconds(world_.now());
    if (!plan_.scheduler->offset || step != kAlone) return world_.begin_step(r);
    const double now = seconds(world_.now());
    const double iteration = (now - w.first_at - w.exposed + w.exposed / plan_.workers()) / kAlone;
    const Profile whole{{"all", Time{}, to_time(iteration * kPicosecondsPerSecond), 0, {}}};
    const Time offset = plan_.scheduler->offset(whole, {}, r, plan_.workers());
    world_.begin_step(r, time_at(now + seconds(offset)));
  }

  void computed(Rank r) {
    worker(r).begin = world_.now();
    if (!plan_.compression) return push(r);
    const Time took = world_.code(r, coding(elements_, plan_.compression->codec.encode));
    if (!synchronous_ || r == plan_.slowest_worker()) encoding_.add(took);
  }

  void push(Rank r) {
    round_.clear();
    for (const Tensor& t : tensors_)
      round_.push_back({ActionKind::send, t.server, pushed(t, world_.step_of(r))});
    world_.post(r, lanes_.push(r), round_);
    round_.clear();
    for (const Tensor& t : tensors_)
      round_.push_back({ActionKind::replace, t.server, t.elements * kGradientBytes});
    world_.post(r, lanes_.pull(r), round_);
    worker(r).open = 2;
  }

  void worker_ended(Rank r) {
    Worker& w = worker(r);
    if (--w.open > 0) return;
    w.exposed += seconds(world_.now()) - seconds(w.begin);
    world_.exchanged(r, w.begin, "push and pull",
                     static_cast<Bytes>(push_bytes(world_.step_of(r))));
    begin_step(r);
  }

  // Of a server.

  void serve(Rank r) {
    Server& s = server(r);
    if (s.mine.empty()) return;
    s.pushes.resize(workers_.size());
    expect_from_all(r);
  }

  // Links carry both directions at once.
  void expect_from_all(Rank r) {
    server(r).taken = 0;
    for (Rank w = 0; w < plan_.workers(); ++w) expect_from(r, w);
  }

  void expect_from(Rank r, Rank from) {
    Server& s = server(r);
    const int push = s.pushes[static_cast<std::size_t>(from)]++;
    if (push == world_.steps()) return;
    round_.clear();
    for (const std::size_t t : s.mine)
      round_.push_back({ActionKind::replace, from, pushed(tensors_[t], push)});
    world_.post(r, lanes_.push(from), round_);
  }

  void server_ended(Rank r, std::int32_t lane) {
    Server& s = server(r);
    if (lanes_.is_push(lane)) {
      s.arrived.push_back(lane);
      return take(r);
    }
    --s.replying;
    if (one_reply_) reply(r);
  }

  // Takes pushes by arrival, each after the one before is decoded.
  void take(Rank r) {
    Server& s = server(r);
    while (!s.decodes && !s.arrived.empty()) {
      if (!plan_.compression) {
        taken(r);
        continue;
      }
      s.decodes = true;
      const Time took = world_.code(r, coding(s.elements, plan_.compression->codec.decode));
      if (r == fullest_) decoding_.add(took);
    }
  }
  void decoded(Rank r) {
    server(r).decodes = false;
    taken(r);
    take(r);
  }

  void taken(Rank r) {
    Server& s = server(r);
    const Rank from = s.arrived.front();
    s.arrived.pop_front();
    if (!synchronous_) {
      answer(r, from);
      expect_from(r, from);
    } else if (++s.taken == plan_.workers()) {
      for (Rank w = 0; w < plan_.workers(); ++w) answer(r, w);
      expect_from_all(r);  // while the replies travel
    }
  }

  void answer(Rank r, Rank to) {
    Server& s = server(r);
    s.replies.push_back(to);
    if (++s.replying == 1 || !one_reply_) reply(r);
  }
  void reply(Rank r) {
    Server& s = server(r);
    if (s.replies.empty()) return;
    const Rank to = s.replies.front();
    s.replies.pop_front();
    round_.clear();
    for (const std::size_t t : s.mine)
      round_.push_back({ActionKind::send, to, tensors_[t].elements * kGradientBytes});
    world_.post(r, lanes_.pull(to), round_, {.piece = s.sent++});
  }

  const TrainingPlan& plan_;
  DirectWorld& world_;
  bool synchronous_, one_reply_;
  PushPullLanes lanes_;
  std::vector<Worker> workers_;
  std::vector<Server> servers_;
  std::vector<Tensor> tensors_;
  Aggregation aggregation_ = Aggregation::all_gather;  // of codes
  Count elements_ = 0;                                 // of all tensors
  Rank fullest_ = 0;  // the server with most elements, whose coding counts
  // Of a worker's gradients, by the slowest worker, or by all if none waits; and of that server.
  Coding encoding_, decoding_;
  std::vector<PostedAction> round_;
};

SimulatedSteps run_servers(const TrainingPlan& plan, simulator::Network& network, bool trace) {
  const simulator::UniformCosts* const uniform = network.uniform();
  const bool has_ports = uniform && uniform->exclusive_ports;
  DirectWorld world(plan, network, trace);
  return Servers(plan, world, has_ports && plan.workers() > kMostExactWorkers).run();
}

}  // namespace

SimulatedSteps simulate_servers(const TrainingPlan& plan, const MakeNetwork& network, bool trace) {
  const auto tensors = std::count_if(plan.layers.begin(), plan.layers.end(),
                                     [](const Layer& l) { return l.elements > 0; });
  return simulate_direct(run_servers, 2. * plan.workers() * static_cast<double>(tensors), plan,
                         network, trace);
}

}  // namespace arlab::training
