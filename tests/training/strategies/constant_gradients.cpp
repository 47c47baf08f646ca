// Strategies with gradients that depend on nothing: after any delays, the weights are the first
// ones less each gradient once, times the rate.
#include <algorithm>
#include <utility>
#include <vector>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"
#include "training/replica/host_replica.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kUpdates = 20;  // in two epochs
constexpr float kConstantRate = 0.5F;

/// One variable.
class Constant final : public HostReplica {
 public:
  explicit Constant(std::vector<float> gradient, float weight = 0)
      : HostReplica({{.name = "w",
                      .shape = {std::ssize(gradient)},
                      .elements = std::ssize(gradient),
                      .work = 1}},
                    weight),
        gradient_(std::move(gradient)) {}
  BatchResult evaluate(const Samples&) override { return {}; }
  BatchResult learn(const Samples&, float) override {
    needs(0);
    std::copy(gradient_.begin(), gradient_.end(), gradients_.begin());
    is_ready(0);
    return {};
  }

 private:
  std::vector<float> gradient_;
};

toy::Run run_of(std::string_view strategy, Rank workers) {
  toy::Run run;
  run.learning.strategy = strategy;
  run.learning.epochs = 2;
  run.learning.rate.base = kConstantRate;
  run.learning.options.values["servers"] = 1;
  run.ranks = workers + (find_strategy(strategy).has_servers ? 1 : 0);
  return run;
}

}  // namespace

TEST_CASE("each gradient of each worker is applied once, however slow the worker is") {
  struct Case {
    const char* strategy;
    Count bound;
  };
  for (const Case& c :
       {Case{"mirrored", 0}, Case{"central_storage", 0}, Case{"parameter_server", 0},
        Case{"async_parameter_server", 0}, Case{"stale_synchronous", 0},
        Case{"stale_synchronous", 1}, Case{"stale_synchronous", 3}})
    for (const std::vector<double>& slowdown : {std::vector<double>{1, 9, 2, 1}, {7, 1, 1, 3}}) {
      INFO(c.strategy << ", bound " << c.bound << ", slowdowns " << slowdown[0] << " to "
                      << slowdown[3]);
      toy::Run run = run_of(c.strategy, 4);
      run.learning.options.values["staleness"] = static_cast<double>(c.bound);
      run.learning.speed = 1e3;
      run.make = [](Rank rank) {
        return std::make_unique<Constant>(std::vector<float>(3, static_cast<float>(1 << rank)));
      };
      run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
        std::vector<double> each = slowdown;
        each.resize(static_cast<std::size_t>(ranks), 1);
        const auto network = make_network(find_model("alpha_beta"), {{"alpha", 1e9}}, ranks);
        on_emulated_ranks(*network, ranks, body, {.slowdown = each});
      };
      const toy::Result result = toy::train(run);
      for (std::size_t worker = 0; worker < 4; ++worker)
        CHECK(result.weights[worker] ==
              std::vector<float>(3, -kConstantRate * kUpdates * (1 + 2 + 4 + 8)));
    }
}

TEST_CASE("a server decodes the pushes of every epoch at the places where they were encoded") {
  // Elements that are pushed count twice, as half of them are. The value that belongs to an even
  // place is 3, to an odd one 5: a sum of others is hardly ever their multiple.
  constexpr std::size_t kPlaces = 40;
  std::vector<float> gradient;
  for (std::size_t i = 0; i < kPlaces; ++i) gradient.push_back(i % 2 == 0 ? 3 : 5);
  for (const char* strategy : {"parameter_server", "async_parameter_server"}) {
    INFO(strategy);
    toy::Run run = run_of(strategy, 1);
    run.learning.options.gradients.compressor = choose_compressor("randomk:ratio=0.5,feedback=off");
    run.make = [&](Rank) { return std::make_unique<Constant>(gradient); };
    const std::vector<float> weights = toy::train(run).weights[0];
    Count pushed = 0, wrong = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const float times = weights[i] / (-kConstantRate * 2 * gradient[i]);
      wrong += times != std::floor(times) || times < 0 || times > kUpdates;
      pushed += static_cast<Count>(times);
    }
    CHECK(wrong == 0);
    CHECK(pushed == kUpdates * static_cast<Count>(kPlaces) / 2);
  }
}

TEST_CASE("weights whose gradients have opposite signs on half of the workers do not drift") {
  for (const char* strategy : {"mirrored", "parameter_server"})
    for (const Rank workers : {2, 4, 6, 10}) {  // sixths and tenths do not add up to exactly 0
      INFO(strategy << ", " << workers << " workers");
      toy::Run run = run_of(strategy, workers);
      run.global_batch = 20;
      run.samples = 200;
      run.learning.options.gradients.compressor = choose_compressor("signsgd");
      run.make = [=](Rank rank) {
        const bool is_first = rank < workers / 2;
        return std::make_unique<Constant>(
            std::vector<float>{is_first ? 2.0F : -1.0F, is_first ? -3.0F : 5.0F, 0});
      };
      const toy::Result result = toy::train(run);
      CHECK(result.weights[0] == std::vector<float>(3, 0.0F));
    }
}

TEST_CASE("weights decay once per step, however many workers push") {
  using Kind = OptimizerOptions::Kind;
  constexpr float kDecay = 0.1F, kFirst = 10;
  for (const char* strategy : {"mirrored", "parameter_server", "async_parameter_server"})
    for (const Kind kind : {Kind::sgd, Kind::momentum})
      for (const Rank workers : {1, 2, 4}) {
        INFO(strategy << ", " << name(kind) << ", " << workers << " workers");
        toy::Run run = run_of(strategy, workers);
        run.learning.optimizer = {.kind = kind, .momentum = 0.5F, .weight_decay = kDecay};
        run.make = [=](Rank) { return std::make_unique<Constant>(std::vector<float>{0}, kFirst); };
        const bool each_push = find_strategy(strategy).each_push;
        const Count updates = each_push ? kUpdates * workers : kUpdates;
        const double decay = each_push ? double{kDecay} / workers : double{kDecay};
        double weight = kFirst, mean = 0;
        for (Count update = 0; update < updates; ++update) {
          mean = (kind == Kind::momentum ? 0.5 * mean : 0) + decay * weight;
          weight -= double{kConstantRate} * mean;
        }
        CHECK(toy::train(run).weights[0][0] == Approx(weight).epsilon(1e-5));
      }
}
