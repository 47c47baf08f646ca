// n workers train like one worker with the whole batch, for every synchronous strategy.
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

toy::Run run_of(const StrategyKind& kind, Rank workers, OptimizerOptions::Kind optimizer) {
  toy::Run run;
  run.learning.strategy = kind.name;
  run.learning.optimizer.kind = optimizer;
  run.learning.rate.base = optimizer == OptimizerOptions::Kind::adam ? 0.003 : 0.03;
  run.learning.rate.warm_up = 0.5;  // so that it differs from step to step
  run.learning.epochs = 2;
  run.learning.check_every = 3;
  run.learning.options.values["servers"] = 2;
  run.learning.options.values["staleness"] = 0;
  run.learning.options.gradients.scheduling = {{"first_bucket", 256},
                                               {"bucket", 512}};  // several buckets
  if (kind.grouped) run.learning.route_options.group_size = 1;
  run.ranks = kind.has_servers ? workers + 2 : workers;
  return run;
}

bool for_threads(const StrategyKind& kind) {
  return kind.placement != Placement::processes && kind.name != "one_device";
}

}  // namespace

TEST_CASE("every synchronous strategy trains like one worker, to the bit for two workers") {
  for (const StrategyKind& kind : strategies()) {
    const bool tested = kind.synchronous || kind.name == "stale_synchronous";  // with bound 0
    if (!tested || !for_threads(kind)) continue;
    using Kind = OptimizerOptions::Kind;
    for (const auto optimizer : thorough({Kind::sgd, Kind::momentum, Kind::adam}, {Kind::momentum}))
      for (const Rank workers : thorough({1, 2, 3, 4}, {3})) {
        if (workers == 1 && kind.placement == Placement::threads) continue;
        INFO(kind.name << ", " << name(optimizer) << ", " << workers << " workers");
        const toy::Run run = run_of(kind, workers, optimizer);
        const toy::Result one = toy::alone(run, workers);
        const toy::Result many = toy::train(run);
        for (Rank w = 0; w < workers; ++w) {
          const auto& weights = many.weights[static_cast<std::size_t>(w)];
          // Three or more may be added in a different order: a rounding or two in each of 20 steps.
          if (workers <= 2)
            CHECK(weights == one.weights[0]);
          else
            CHECK(toy::distance(weights, one.weights[0]) < 2e-5);
          CHECK(weights == many.weights[0]);
        }
        REQUIRE(many.epochs.size() == 2);
        CHECK(many.epochs[1].train.samples == 240);
        CHECK(many.epochs[1].train.loss == Approx(one.epochs[1].train.loss).epsilon(1e-5));
        CHECK(many.epochs[1].validation.samples == 240);
        CHECK(many.epochs[1].validation.correct == one.epochs[1].validation.correct);
        CHECK(many.epochs[1].train.loss < many.epochs[0].train.loss);
      }
  }
}

TEST_CASE(
    "a server that adds by rank trains to the bit like one worker, for any number of workers") {
  for (const char* name : {"parameter_server", "stale_synchronous"})
    for (const Rank workers : {3, 4, 6}) {
      INFO(name << ", " << workers << " workers");
      const toy::Run run = run_of(find_strategy(name), workers, OptimizerOptions::Kind::momentum);
      CHECK(toy::train(run).weights[0] == toy::alone(run, workers).weights[0]);
    }
}

TEST_CASE("all algorithms, overlapped or not, give one result for two workers") {
  toy::Run run = run_of(find_strategy("mirrored"), 2, OptimizerOptions::Kind::momentum);
  const toy::Result one = toy::alone(run, 2);
  std::vector<std::string> routes{"native", "auto"};
  if (kThreadSanitizer) routes.emplace_back("ring");
  for (const Algorithm& a : algorithms())
    if (!kThreadSanitizer && unsupported(a, {.ranks = 2}).empty()) routes.emplace_back(a.name);
  for (const std::string& route : routes)
    for (const bool overlap : {false, true})
      for (const double bucket : thorough({4.0, 1e6}, {4.0})) {
        INFO(route << (overlap ? ", overlapped" : "") << ", buckets of " << bucket);
        run.learning.route = route;
        run.learning.overlap = overlap;
        run.learning.options.gradients.scheduling = {{"first_bucket", bucket}, {"bucket", bucket}};
        CHECK(toy::train(run).weights[0] == one.weights[0]);
      }
}

TEST_CASE("all schedulers, overlapped or not, give one result for two workers") {
  using Kind = OptimizerOptions::Kind;
  for (const auto optimizer : thorough({Kind::momentum, Kind::adam}, {Kind::momentum})) {
    toy::Run run = run_of(find_strategy("mirrored"), 2, optimizer);
    const toy::Result one = toy::alone(run, 2);
    for (const SchedulerKind& kind : schedulers())
      for (const bool overlap : {false, true})
        for (const Count check_every : thorough<Count>({1, 100}, {1})) {
          INFO(kind.name << (overlap ? ", overlapped" : "") << ", compared every " << check_every);
          run.learning.overlap = overlap;
          run.learning.check_every = check_every;
          run.learning.options.gradients = {.scheduler = std::string(kind.name)};
          for (const Parameter& p : kind.parameters)
            if (p.unit == Parameter::Unit::bytes)
              run.learning.options.gradients.scheduling[std::string(p.name)] = 400;
          CHECK(toy::train(run).weights[0] == one.weights[0]);
        }
  }
}

TEST_CASE(
    "rejects a scheduler that a strategy or an algorithm does not support, and names another") {
  toy::Run run = run_of(find_strategy("local_sgd"), 2, OptimizerOptions::Kind::sgd);
  run.learning.options.gradients.scheduler = "fifo";
  CHECK(toy::fails(Blame::usage, "strategy local_sgd does not use a scheduler",
                   [&] { toy::train(run); }));
  run = run_of(find_strategy("mirrored"), 2, OptimizerOptions::Kind::sgd);
  run.learning.options.gradients = {.scheduler = "dear"};
  run.learning.route = "tree";
  CHECK(toy::fails(Blame::usage, "scheduler dear needs reduce_scatter, which algorithm tree",
                   [&] { toy::train(run); }));
  run.learning.route = "native";
  CHECK(toy::fails(Blame::usage, "use algorithm ring", [&] { toy::train(run); }));
  run.learning.options.gradients.scheduler = "dera";
  CHECK(toy::fails(Blame::usage, "did you mean 'dear'", [&] { toy::train(run); }));
}

TEST_CASE("local SGD that averages every step is one step of SGD on the mean gradient") {
  toy::Run run = run_of(find_strategy("local_sgd"), 4, OptimizerOptions::Kind::sgd);
  run.learning.options.values["every"] = 1;
  const toy::Result many = toy::train(run), one = toy::alone(run, 1);
  CHECK(toy::distance(many.weights[0], one.weights[0]) < 2e-5);
  run.learning.options.values["every"] = 4;  // although an epoch's 10 steps are not a multiple
  const toy::Result seldom = toy::train(run);
  CHECK(seldom.weights[0] == seldom.weights[3]);
  CHECK(toy::distance(seldom.weights[0], one.weights[0]) > 2e-5);
  CHECK(toy::distance(seldom.weights[0], one.weights[0]) < 0.2);
}
